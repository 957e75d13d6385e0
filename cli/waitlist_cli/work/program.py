"""Runs a program in its own process group, so that Ctrl-C in the terminal does not reach it."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from waitlist_cli.errors import WrongUsage

# How much time, in seconds, a program and its child processes are given to end after SIGTERM.
GRACE_SECONDS = 5.0
# The interval at which the command checks whether a process group has ended.
LOOK_SECONDS = 0.05
STDERR = 2


class Program:
    """A running program that reads `text` from its standard input.

    If `output_is_ours` is true, the `waitlist` command itself prints JSON to standard output, so
    the program's output goes to standard error.
    """

    def __init__(self, words: Sequence[str], text: str, *, output_is_ours: bool) -> None:
        try:
            self._process = subprocess.Popen(  # noqa: S603 (the operator typed the command)
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
        # Write the input in another thread, because the write blocks if the program does not read
        # its input.
        self._writer = threading.Thread(target=self._write, args=(text.encode(),), daemon=True)
        self._writer.start()

    def wait(self, seconds: float) -> int | None:
        """Return the exit code. Return None if the program is still running after `seconds`."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """If the program is still running, end it and all processes that it has started.

        Processes that ignore SIGTERM are killed.
        """
        if self.wait(0) is not None:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            self._signal(number)
            if self._group_ends_within(GRACE_SECONDS):
                return

    def _group_ends_within(self, seconds: float) -> bool:
        """Wait until all processes in the group have ended, but no longer than `seconds`.

        Return whether all have ended.
        """
        ends_at = time.monotonic() + seconds
        while (left := ends_at - time.monotonic()) > 0:
            if self.wait(min(left, LOOK_SECONDS)) is not None:
                # The program itself has ended, but other processes of its process group may still
                # be running.
                if not self._signal(0):
                    return True
                time.sleep(min(left, LOOK_SECONDS))
        return False

    def _signal(self, number: int) -> bool:
        """Send a signal to the process group, and return whether the group still has processes.

        If `number` is 0, no signal is sent.
        """
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:
            # The group still has a process, but the system refused the signal because the process
            # belongs to another user.
            return True
        return True

    def _write(self, content: bytes) -> None:
        stream = self._process.stdin
        if stream is None:
            return
        # Writing fails if the program ends or closes its input before it has read everything.
        # Ignore this error, because a program need not read its whole input.
        with suppress(BrokenPipeError):
            stream.write(content)
        with suppress(BrokenPipeError):
            stream.close()
