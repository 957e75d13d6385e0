"""A server in a child process that never outlives this process.

The child prints its port as its first line on stdout, then serves until its stdin ends. The stdin
ends when this process stops the child, and also when this process is killed.
"""

import os
import subprocess
import sys
from contextlib import suppress
from typing import Self

STOP_SECONDS = 5


class ChildStartError(Exception):
    """The child ended before it served; its error is on stderr."""


class Child:
    """`python -m <module> <arguments>`; `port` waits until it serves."""

    def __init__(self, module: str, *arguments: str) -> None:
        self.module = module
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C in the terminal stops only the local run
        )

    def port(self) -> int:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.strip().isdecimal():
            raise ChildStartError(f"{self.module} did not start")
        return int(line)

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()


def serve_until_parent_ends(port: int) -> None:
    """Print the port, then block until the parent stops this child or ends."""
    try:
        print(port, flush=True)
    except BrokenPipeError:
        # The parent has ended. Python must not flush the port again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    sys.stdin.read()
