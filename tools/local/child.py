"""A server in a child process that never runs longer than its parent process.

The child prints its port as the first line on stdout, and then serves until its stdin is closed.
The stdin is closed when the parent stops the child, and also when the parent is killed.
"""

import os
import subprocess
import sys
from contextlib import suppress
from typing import Self

STOP_SECONDS = 5


class ChildStartError(Exception):
    """The child ended before it was ready to serve. Its error message is on stderr."""


class Child:
    """A child process that runs `python -m <module> <arguments>`.

    The method `port` waits until the child process is ready to serve.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        self.module = module
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Start the child in its own session, so that it does not receive Ctrl-C. The parent
            # stops it.
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
    """Print the port, and then wait until the parent stops this child or ends."""
    try:
        print(port, flush=True)
    except BrokenPipeError:
        # The parent has ended. Point stdout to /dev/null, so that Python does not fail when it
        # flushes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    sys.stdin.read()
