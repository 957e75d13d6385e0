"""A pseudo-terminal with a screen, whose content is read as text or as a picture."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pexpect
import pyte
from rich.style import Style
from rich.text import Text

SECONDS = 60
QUIET_SECONDS = 0.2
NAMES = {"brown": "yellow", "default": None}


class NotShown(Exception):
    """The expected text did not appear in time; the message has the screen."""


class Terminal:
    """Runs a command; `seconds` is the limit of every wait."""

    def __init__(
        self,
        command: Sequence[str],
        environ: Mapping[str, str],
        *,
        lines: int = 30,
        columns: int = 100,
        seconds: float = SECONDS,
    ) -> None:
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.Stream(self._screen)
        self._seconds = seconds
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
        return "\n".join(self._line(number).plain.rstrip() for number in range(self._screen.lines))

    def picture(self) -> Text:
        """Return the screen with its colours, without empty lines at its end."""
        lines = [self._line(number) for number in range(self._screen.lines)]
        while lines and not lines[-1].plain.strip():
            lines.pop()
        return Text("\n").join(lines)

    def until(self, seen: Callable[[str], bool]) -> str:
        """Wait until the screen shows the text, and return the screen."""
        deadline = time.monotonic() + self._seconds
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
        deadline = time.monotonic() + self._seconds
        while self._read():
            if time.monotonic() > deadline:
                raise NotShown(f"It does not end:\n{self.text}")
        self._process.close()
        return int(self._process.exitstatus)

    def settle(self) -> None:
        """Wait until the screen is unchanged for a moment, so that no frame is half drawn."""
        before = -1
        while before != len(self.raw):
            before = len(self.raw)
            self._read(QUIET_SECONDS)

    def _read(self, seconds: float = 1) -> bool:
        """Read new output; return False at its end."""
        try:
            written = self._process.read_nonblocking(65536, timeout=seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += written
        self._stream.feed(written)
        return True

    def _line(self, number: int) -> Text:
        text = Text()
        row = self._screen.buffer[number]
        for column in range(self._screen.columns):
            cell = row[column]
            text.append(cell.data, Style(color=_colour(cell.fg), bold=cell.bold))
        return text


def _colour(name: str) -> str | None:
    """Return Rich's name of a terminal's colour, because pyte's names differ."""
    if name in NAMES:
        return NAMES[name]
    if len(name) == 6 and all(letter in "0123456789abcdef" for letter in name):
        return f"#{name}"
    return name.replace("bright", "bright_")
