"""Runs a program in its own process group, so that a Ctrl-C in the terminal does not reach it."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from waitlist_cli.errors import WrongUsage

# How long a program, and all that it has started, may take to end after SIGTERM.
GRACE_SECONDS = 5.0
LOOK_SECONDS = 0.05
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
        """End the process group by SIGTERM, then by SIGKILL, if the program still runs.

        A shell ends at SIGTERM, while the program that it has started may ignore the signal. So
        the whole group has to be gone, not only its first process.
        """
        if self.wait(0) is not None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            self._signal(number)
            if self._is_gone_within(GRACE_SECONDS):
                return

    def _is_gone_within(self, seconds: float) -> bool:
        """Return whether no process of the group is left, at the latest after `seconds`."""
        ends_at = time.monotonic() + seconds
        while (left := ends_at - time.monotonic()) > 0:
            if self.wait(min(left, LOOK_SECONDS)) is not None:
                # The first process has been reaped, so only the others still count as the group.
                if not self._signal(0):
                    return True
                time.sleep(min(left, LOOK_SECONDS))
        return False

    def _signal(self, number: int) -> bool:
        """Send a signal to the group; 0 sends none. Return whether the group has processes."""
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:
            # A process of the group runs as another user.
            return True
        return True

    def _write(self, content: bytes) -> None:
        stream = self._process.stdin
        if stream is None:
            return
        # The program may end, or close its input, without reading it.
        with suppress(BrokenPipeError):
            stream.write(content)
        with suppress(BrokenPipeError):
            stream.close()
