"""Receives the functions' log lines through a pipe in a separate process, as Lambda does."""

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import TextIOWrapper

from tools.bench.queue_client import BenchError

# Count the log lines at intervals and print the count at the end. A reader that woke up for each
# line would take processor time away from Redis and the client. Each call would then take 1 to 8 µs
# longer, which is more than the measured difference.
READER = """
import os, sys, time
lines, buffer = 0, bytearray(1 << 20)
while size := os.readv(0, [buffer]):
    lines += buffer.count(b"\\n", 0, size)
    time.sleep(float(sys.argv[1]))
print(lines)
"""
PIPE_BYTES = 1 << 20  # The pipe holds about a thousand lines.
SET_PIPE_SIZE = getattr(fcntl, "F_SETPIPE_SZ", None)  # Only Linux can set the size of a pipe.
PAUSE_SECONDS = 0.02 if SET_PIPE_SIZE else 0.001


class Unbuffered(TextIOWrapper):
    """A standard output that flushes after each write, as the Lambda runtime does."""

    def write(self, text: str) -> int:
        written = super().write(text)
        self.flush()
        return written


class Log:
    """`lines` is the number of lines received. It is known only at the end."""

    lines = 0


@contextmanager
def lambda_log() -> Iterator[Log]:
    """Send standard output to another process, which counts the lines."""
    log = Log()
    command = [sys.executable, "-S", "-c", READER, str(PAUSE_SECONDS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdin
        assert reader.stdout
        if SET_PIPE_SIZE:
            fcntl.fcntl(reader.stdin, SET_PIPE_SIZE, PIPE_BYTES)
        with Unbuffered(reader.stdin) as pipe, redirect_stdout(pipe):
            yield log
        log.lines = int(reader.stdout.read() or 0)
    if reader.returncode:
        raise BenchError("the log reader failed. Its error is printed above.")
