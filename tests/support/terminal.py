"""A pseudo-terminal. Tests can read what is on its screen."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pexpect
import pyte

# Each wait for output ends after this time.
SECONDS = 60


class NotShown(Exception):
    """The screen did not show the expected text in time.

    The error contains the text on the screen.
    """


class Terminal:
    """A command that runs in a pseudo-terminal."""

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
            codec_errors="replace",  # An echoed ^C may split a multi-byte letter.
        )

    @property
    def text(self) -> str:
        """The text on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def until(self, seen: Callable[[str], bool]) -> str:
        """Wait until the screen shows a text. Return everything on the screen."""
        deadline = time.monotonic() + SECONDS
        while not seen(self.text):
            if time.monotonic() > deadline or not self._read():
                raise NotShown(f"The expected text did not appear on the screen:\n{self.text}")
        return self.text

    def type(self, text: str) -> None:
        self._process.send(text)

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._process.sendintr()

    def ended(self) -> int:
        """Wait until the command ends. Return its exit code."""
        deadline = time.monotonic() + SECONDS
        while self._read():
            if time.monotonic() > deadline:
                raise NotShown(f"The command did not end:\n{self.text}")
        self._process.close()
        return int(self._process.exitstatus)

    def _read(self) -> bool:
        """Read new output of the command. Return False at the end of the output."""
        try:
            written = self._process.read_nonblocking(65536, timeout=1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += written
        self._stream.feed(written)
        return True
