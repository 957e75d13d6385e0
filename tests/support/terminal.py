"""A pseudo-terminal with a screen."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pexpect
import pyte

# Limit of every wait.
SECONDS = 60


class NotShown(Exception):
    """The expected text did not appear in time; the message has the screen."""


class Terminal:
    """Runs a command."""

    def __init__(
        self,
        command: Sequence[str],
        environ: Mapping[str, str],
        *,
        lines: int = 30,
        columns: int = 100,
    ) -> None:
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.Stream(self._screen)
        self.raw = ""
        size = {"COLUMNS": str(columns), "LINES": str(lines), "TERM": "xterm-256color"}
        self._process: Any = pexpect.spawn(
            command[0],
            list(command[1:]),
            env={**environ, **size},
            dimensions=(lines, columns),
            encoding="utf-8",
            codec_errors="replace",  # an echoed ^C may be in the middle of a letter
        )

    @property
    def text(self) -> str:
        """Return the text on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def until(self, seen: Callable[[str], bool]) -> str:
        """Wait until the screen shows the text, and return the screen."""
        deadline = time.monotonic() + SECONDS
        while not seen(self.text):
            if time.monotonic() > deadline or not self._read():
                raise NotShown(f"The screen does not come to show it:\n{self.text}")
        return self.text

    def type(self, text: str) -> None:
        self._process.send(text)

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._process.sendintr()

    def ended(self) -> int:
        """Wait for the end and return the exit code; the screen has the whole output."""
        deadline = time.monotonic() + SECONDS
        while self._read():
            if time.monotonic() > deadline:
                raise NotShown(f"It does not end:\n{self.text}")
        self._process.close()
        return int(self._process.exitstatus)

    def _read(self) -> bool:
        """Read new output; return False at its end."""
        try:
            written = self._process.read_nonblocking(65536, timeout=1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += written
        self._stream.feed(written)
        return True
