"""Where the private function's lines go: as on Lambda, down a pipe that another process empties."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import TextIOWrapper

from bench.line import BenchError

# Wakes up for each line, as what reads a function's output does, and says at the end how many.
READER = """
import os
lines = 0
while some := os.read(0, 65536):
    lines += some.count(b"\\n")
print(lines)
"""


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
    command = [sys.executable, "-S", "-c", READER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdin
        assert reader.stdout
        with Unbuffered(reader.stdin) as pipe, redirect_stdout(pipe):
            yield log
        log.lines = int(reader.stdout.read() or 0)
    if reader.returncode:
        raise BenchError("what reads the log has failed; its reason stands above")
