"""What is printed: tables and colour for people, bare lines for pipes, JSON for scripts."""

import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import rich.console
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from waitlist_cli.errors import CliError

TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{3}Z")
HEADINGS = {"position": "#", "customer_id": "customer", "joined_at": "joined"}
# What a person copies from the screen stays in one piece.
WHOLE = ("entry_id", "claim_token", "joined_at", "claimed_until", "parked_at", "at")
# Between several values of an attribute; files have it between them, too.
VALUES_APART = ";"
# A column that would be narrower is no column: then each row stands by itself, a line a value.
LEAST_WIDTH = 10
# Customers choose what is in their profile. A control character in it could move the operator's
# cursor or write other text over the screen, and a bidirectional one could reorder the line.
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def shown(value: object) -> str:
    """Return a value as a person reads it, harmless to a terminal."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if found := TIME.fullmatch(text):
        return f"{found[1]} {found[2]}Z"
    return CONTROLS.sub("�", text)


def harmless(text: str) -> str:
    """Return text without what a terminal would obey; lines stay lines."""
    return "\n".join(CONTROLS.sub("�", line) for line in text.split("\n"))


def escaped_json(value: object, indent: int | None = None) -> str:
    """Return the JSON of a value, with each control character of its texts as \\uXXXX.

    JSON itself escapes only those below U+0020, and terminals obey others.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return "\n".join(CONTROLS.sub(_escape, line) for line in text.split("\n"))


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def plain(value: object) -> str:
    """Return a value as a field of a line: no tab, no line's end, numbers bare."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return CONTROLS.sub(" ", text)


def take_any_text(stream: object) -> None:
    """Have a stream take any text: pipes get UTF-8, a terminal shows ? for what it has not."""
    if not isinstance(stream, io.TextIOWrapper):
        return
    if stream.isatty():
        stream.reconfigure(errors="replace")
    else:
        # In JSON, the only text that UTF-8 does not have is escaped by it as JSON does.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


class Console(rich.console.Console):
    """A console that leaves it to its caller what a broken pipe means."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def discard(console: Console) -> None:
    """Let what is still to be written go nowhere, or the end would fail on it again."""
    # It may have no file behind it.
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), console.file.fileno())


class Output:
    """Standard output for what was asked for, standard error for what is said about it."""

    def __init__(self, as_json: bool, console: Console, notes: Console) -> None:
        self.as_json = as_json
        self.console = console
        self.notes = notes

    def json(self, value: object) -> None:
        """Print a document; over several lines only where a person looks."""
        indent = 2 if self.console.is_terminal else None
        self.line(escaped_json(value, indent))

    def json_line(self, value: object) -> None:
        """Print one of many documents, a line each."""
        self.line(escaped_json(value))

    def line(self, text: str) -> None:
        """Print text as it is, at once: neither folded nor coloured."""
        self.console.file.write(f"{text}\n")
        self.console.file.flush()

    def rows(
        self,
        columns: Sequence[str],
        rows: Iterable[Sequence[object]],
        *,
        title: str = "",
        right: Sequence[str] = (),
    ) -> None:
        """Print a table, or in a pipe its header and each row as it comes, with tabs."""
        if not self.console.is_terminal:
            for row in chain([columns], rows):
                self.line("\t".join(map(plain, row)))
            return
        whole = list(rows)
        if _fits(columns, whole, self.console.width):
            self.console.print(table(columns, whole, title=title, right=right))
        else:
            self._blocks(columns, whole, title)

    def _blocks(self, columns: Sequence[str], rows: Sequence[Sequence[object]], title: str) -> None:
        """Print each row by itself: a terminal is too narrow for a table."""
        if title:
            self.console.print(Text(shown(title), style="italic"))
        names = [HEADINGS.get(name, name) for name in columns]
        for row in rows:
            self.pairs(dict(zip(names, row, strict=True)))
            self.line("")

    def pairs(self, pairs: Mapping[str, object]) -> None:
        """Print names and values, a line each."""
        if not self.console.is_terminal:
            for name, value in pairs.items():
                self.line(f"{name}\t{plain(value)}")
            return
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="cyan", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in pairs.items():
            grid.add_row(Text(name), Text(shown(value)))
        self.console.print(grid)

    def text(self, text: str) -> None:
        """Print a sentence for a person."""
        self.console.print(Text(harmless(text)), soft_wrap=True)

    def note(self, text: str, style: str = "") -> None:
        """Say something that is no result; no work ends because nobody listens any more."""
        try:
            self.notes.print(Text(harmless(text), style=style), soft_wrap=True)
        except OSError:
            discard(self.notes)

    def problem(self, error: CliError) -> None:
        """Say what went wrong, with its code, and what the fields of the request are to be."""
        if self.as_json:
            try:
                self.notes.file.write(escaped_json(error.as_json()) + "\n")
            except OSError:
                discard(self.notes)
            return
        code = f" ({error.code})" if error.code else ""
        self.note(f"{shown(error.message)}{code}", "red")
        for one in error.fields:
            line = f"{one.field}: {one.message}"
            # With one field wrong, the sentence above says just this.
            if line not in error.message:
                self.note(f"  {shown(line)}")


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    right: Sequence[str] = (),
) -> Table:
    """Return a table of values, whatever is in them."""
    made = Table(
        title=Text(shown(title)) if title else None,
        title_justify="left",
        header_style="bold",
        box=SIMPLE_HEAD,
    )
    for name in columns:
        justify: JustifyMethod = "right" if name in right else "left"
        heading = HEADINGS.get(name, name)
        made.add_column(heading, justify=justify, overflow="fold", no_wrap=name in WHOLE)
    for row in rows:
        made.add_row(*[_cell(value) for value in row])
    return made


def _fits(columns: Sequence[str], rows: Sequence[Sequence[object]], width: int) -> bool:
    """Tell whether every column gets the room that it needs to be read."""
    needed = 1
    for number, name in enumerate(columns):
        texts = [HEADINGS.get(name, name), *(shown(row[number]) for row in rows)]
        widest = max(map(cell_len, texts))
        needed += 3 + (widest if name in WHOLE else min(widest, LEAST_WIDTH))
    return needed <= width


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its word: 1 row, 2 rows."""
    return f"{number:,} {one if number == 1 else many}"


def _cell(value: object) -> RenderableType:
    return value if isinstance(value, Text) else Text(shown(value))


def _brief(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return VALUES_APART.join(value)
    return json.dumps(value, ensure_ascii=False)


def details(mapping: Mapping[str, Any] | None) -> str:
    """Return a profile or attributes in few words: name=value, name=value."""
    parts = []
    for name, value in (mapping or {}).items():
        parts.append(f"{name}={_brief(value)}")
    return ", ".join(parts)
