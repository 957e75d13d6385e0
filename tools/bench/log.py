"""Where the private function's lines go: as on Lambda, down a pipe that another process empties."""

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import TextIOWrapper

from tools.bench.line import BenchError

# Looks now and then what has come, and says at the end how many lines that were. One that always
# waits is woken by each line, and runs where Redis or its client would: by where the machine puts
# it that takes 1 to 8 µs a call, and would hide what is measured.
READER = """
import os, sys, time
lines, buffer = 0, bytearray(1 << 20)
while size := os.readv(0, [buffer]):
    lines += buffer.count(b"\\n", 0, size)
    time.sleep(float(sys.argv[1]))
print(lines)
"""
PIPE_BYTES = 1 << 20  # a thousand lines
SET_PIPE_SIZE = getattr(fcntl, "F_SETPIPE_SZ", None)  # Linux alone has it
PAUSE_SECONDS = 0.02 if SET_PIPE_SIZE else 0.001


class Unbuffered(TextIOWrapper):
    """What Lambda's runtime makes of stdout: each write goes out at once."""

    def write(self, text: str) -> int:
        written = super().write(text)
        self.flush()
        return written


class Log:
    """How many lines came out at the other end; known when the log has ended."""

    lines = 0


@contextmanager
def lambda_log() -> Iterator[Log]:
    """Have stdout be a log, until the block ends."""
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
        raise BenchError("what reads the log has failed; its reason stands above")
