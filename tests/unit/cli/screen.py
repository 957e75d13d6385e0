"""Runs commands in this process, with a pseudo-terminal as their output.

A new process would first have to import the command line, which takes 100 times as long as running
a command.
"""

import os
import pty
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from unittest.mock import patch

import pyte

from tests.unit.cli.typed import GROUP, Typed, clean_environment
from waitlist_cli.__main__ import main


@dataclass(frozen=True)
class Shown:
    """What several commands wrote to a terminal. `text` is the final screen without colours."""

    exit_codes: list[int]
    raw: str
    text: str


def show_in_terminal(
    url: str | None, *commands: str, columns: int = 100, lines: int = 30, **environ: str
) -> Shown:
    """Run commands one after another."""
    size = {"COLUMNS": str(columns), "LINES": str(lines), "TERM": "xterm-256color"}
    environment = clean_environment(**size, **environ)
    ours, theirs = pty.openpty()
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(_read_to_end, ours)
        try:
            exit_codes = [
                _run([*Typed(url).service, *words.split()], theirs, environment)
                for words in commands
            ]
        finally:
            os.close(theirs)
        raw = reading.result()
    os.close(ours)
    screen = pyte.Screen(columns, lines)
    pyte.Stream(screen).feed(raw)
    return Shown(exit_codes, raw, "\n".join(line.rstrip() for line in screen.display))


def _run(words: list[str], terminal: int, environment: dict[str, str]) -> int:
    with (
        open(terminal, "w", closefd=False) as output,
        patch.multiple(sys, argv=["waitlist", *words], stdout=output, stderr=output),
        patch.dict(os.environ, environment, clear=True),
        # Typer would otherwise rebuild all commands for each call.
        patch("typer.main.get_command", return_value=GROUP),
    ):
        try:
            main()
        except SystemExit as ended:
            return int(ended.code or 0)
    raise AssertionError("the command did not exit")


def _read_to_end(terminal: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # Linux raises EIO after the last program has closed the terminal.
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode()
