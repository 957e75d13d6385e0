"""A server in a child process that never outlives its parent.

The child prints its port on stdout and then serves until its stdin is closed. This happens when the
parent stops the child, and also when the parent is killed.
"""

import os
import subprocess
import sys
from contextlib import suppress
from typing import Self

STOP_SECONDS = 5


class ChildStartError(Exception):
    """The child process ended before it could serve. Its error is on stderr."""


class Child:
    """A child process that runs `python -m <module> <arguments>`.

    Reading `port` waits until the child can serve requests.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        self.module = module
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Start the child in its own session, so that Ctrl-C does not reach it. The parent
            # process stops it.
            start_new_session=True,
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
    """The parent process reads the port from standard output."""
    try:
        print(port, flush=True)
    except BrokenPipeError:
        # The parent process has ended. Redirect stdout to /dev/null, because Python would otherwise
        # fail when it flushes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    sys.stdin.read()
