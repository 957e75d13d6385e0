"""A terminal with a person before it: what is on the screen, and what is typed."""

import sys
import time
from collections.abc import Callable
from typing import Any

import pexpect
import pyte

from tests.cli.typed import clean_environment

SECONDS = 30


class Terminal:
    """Runs the command line in a pseudo-terminal of 30 lines by 100 columns."""

    def __init__(self, *words: str) -> None:
        self._screen = pyte.Screen(100, 30)
        self._stream = pyte.Stream(self._screen)
        self.raw = ""
        self._process: Any = pexpect.spawn(
            sys.executable,
            ["-m", "waitlist_cli", *words],
            env={**clean_environment(TERM="xterm-256color"), "COLUMNS": "100", "LINES": "30"},
            dimensions=(30, 100),
            encoding="utf-8",
            codec_errors="replace",  # an echoed ^C may stand in the middle of a letter
        )

    @property
    def text(self) -> str:
        """Return what stands on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def until(self, seen: Callable[[str], bool]) -> str:
        """Look on until the screen shows it, and return the screen."""
        deadline = time.monotonic() + SECONDS
        while not seen(self.text):
            assert time.monotonic() < deadline, self.text
            assert self._read(), self.text
        return self.text

    def type(self, text: str) -> None:
        self._process.send(text)

    def interrupt(self) -> None:
        self._process.sendintr()

    def ended(self) -> int:
        """Wait for the end, and return the exit code; the screen has all that was written."""
        deadline = time.monotonic() + SECONDS
        while self._read():
            assert time.monotonic() < deadline, self.text
        self._process.close()
        return int(self._process.exitstatus)

    def _read(self) -> bool:
        """Take in what was written; False once nothing more will be."""
        try:
            written = self._process.read_nonblocking(65536, timeout=1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += written
        self._stream.feed(written)
        return True
