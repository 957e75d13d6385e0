"""Runs a program in its own process group, so that a Ctrl-C in the terminal does not reach it."""

import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress

from waitlist_cli.errors import WrongUsage

# How long a program may take to end after SIGTERM.
GRACE_SECONDS = 5.0
STDERR = 2


class Program:
    """Starts at once, with `text` as its standard input.

    With `output_is_ours` its standard output goes to standard error, away from our JSON.
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
                f"{words[0]} cannot be run: {error.strerror}. A script must begin with #! and the "
                "path of its interpreter."
            ) from error
        # A program that does not read its input must not block this thread.
        self._writer = threading.Thread(target=self._write, args=(text.encode(),), daemon=True)
        self._writer.start()

    def wait(self, seconds: float) -> int | None:
        """Return the exit code, None if the program still runs after `seconds`."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """End the process group by SIGTERM, then by SIGKILL, if the program still runs."""
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
        # The program may end, or close its input, without reading it.
        with suppress(BrokenPipeError):
            stream.write(content)
        with suppress(BrokenPipeError):
            stream.close()
