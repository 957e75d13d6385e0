"""The destination of the functions' log lines: as on Lambda, a pipe to another process."""

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import TextIOWrapper

from tools.bench.queue_client import BenchError

# Reads at intervals and prints the number of lines at the end. A reader that always waits would be
# woken by each line and compete with Redis and its client for a core, which costs 1 to 8 µs a call
# and would hide the measured difference.
READER = """
import os, sys, time
lines, buffer = 0, bytearray(1 << 20)
while size := os.readv(0, [buffer]):
    lines += buffer.count(b"\\n", 0, size)
    time.sleep(float(sys.argv[1]))
print(lines)
"""
PIPE_BYTES = 1 << 20  # room for a thousand lines
SET_PIPE_SIZE = getattr(fcntl, "F_SETPIPE_SZ", None)  # only on Linux
PAUSE_SECONDS = 0.02 if SET_PIPE_SIZE else 0.001


class Unbuffered(TextIOWrapper):
    """stdout as in Lambda's runtime: each write is flushed."""

    def write(self, text: str) -> int:
        written = super().write(text)
        self.flush()
        return written


class Log:
    """The number of lines that the reader received; set when the log has ended."""

    lines = 0


@contextmanager
def lambda_log() -> Iterator[Log]:
    """Redirect stdout to the log until the block ends."""
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
        raise BenchError("the reader of the log failed; its error is printed above")
