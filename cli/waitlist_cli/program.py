"""A program in a process group of its own: a Ctrl-C in the terminal is not for it."""

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress

from waitlist_cli.errors import WrongUsage

# How long a program that is told to end may take for it.
GRACE_SECONDS = 5.0
STDERR = 2


class Program:
    """Runs from the moment it is made; `text` is its standard input.

    Where standard output is for documents of ours, its own goes to standard error.
    """

    def __init__(self, words: Sequence[str], text: str, *, output_is_ours: bool) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603 (it is what the operator typed)
                list(words),
                stdin=subprocess.PIPE,
                stdout=STDERR if output_is_ours else None,
                start_new_session=True,
            )
        except OSError as error:
            raise WrongUsage(
                f"{words[0]} cannot be run: {error.strerror}. A script begins with #! and the "
                "path of what reads it."
            ) from error
        # A program that does not read must not block whoever writes.
        self._writer = threading.Thread(target=self._write, args=(text.encode(),), daemon=True)
        self._writer.start()

    def wait(self, seconds: float) -> int | None:
        """Return the exit code, None if it still runs after so long."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """End it, if it still runs, and whatever it has started: asked first, then made to."""
        if self.wait(0) is not None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
            if self.wait(GRACE_SECONDS) is not None:
                return

    def _write(self, content: bytes) -> None:
        stream = self._process.stdin
        if stream is None:
            return
        # A program may end, or close its input, without having read it.
        with suppress(BrokenPipeError):
            stream.write(content)
        with suppress(BrokenPipeError):
            stream.close()
