"""A server in a process of its own that never outlives this one.

The child says its port in its first line on stdout, then serves until its stdin ends, which it does
when this process stops it, and also when this process is killed.
"""

import os
import subprocess
import sys
from contextlib import suppress
from typing import Self

STOP_SECONDS = 5


class ChildStartError(Exception):
    """The child ended before it served; its own words are on stderr."""


class Child:
    """`python -m <module> <arguments>`; `port` waits for it to serve."""

    def __init__(self, module: str, *arguments: str) -> None:
        self.module = module
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a Ctrl-C in the terminal is for the local run alone
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
    """The child's side: tells the port, then blocks until the parent is done or dead."""
    try:
        print(port, flush=True)
    except BrokenPipeError:
        # Already over. What could not be said must not be tried again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    sys.stdin.read()
