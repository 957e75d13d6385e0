"""A pseudo-terminal whose screen tests can read."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pexpect
import pyte

# The longest time that a test waits for output.
SECONDS = 60


class NotShown(Exception):
    pass


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
            # The terminal may show ^C in the middle of a multi-byte character.
            codec_errors="replace",
        )

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    def until(self, seen: Callable[[str], bool]) -> str:
        deadline = time.monotonic() + SECONDS
        while not seen(self.text):
            if time.monotonic() > deadline or not self._read():
                raise NotShown(f"The expected text did not appear on the screen:\n{self.text}")
        return self.text

    def type(self, text: str) -> None:
        self._process.send(text)

    def interrupt(self) -> None:
        self._process.sendintr()

    def ended(self) -> int:
        deadline = time.monotonic() + SECONDS
        while self._read():
            if time.monotonic() > deadline:
                raise NotShown(f"The command did not end:\n{self.text}")
        self._process.close()
        return int(self._process.exitstatus)

    def _read(self) -> bool:
        """Return False when the command has closed its output."""
        try:
            written = self._process.read_nonblocking(65536, timeout=1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += written
        self._stream.feed(written)
        return True
