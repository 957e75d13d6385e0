"""Prints tables and colours on a terminal, plain lines into a pipe, JSON for scripts."""

import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
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
# Columns that operators copy from the screen, so they are never wrapped.
WHOLE = (
    "entry_id",
    "claim_token",
    "joined_at",
    "offered_until",
    "claimed_until",
    "parked_at",
    "admitted_at",
    "inside_until",
    "room_until",
    "exited_at",
    "banned_at",
    "at",
)
# Separates the values of an attribute, on the screen and in files.
VALUE_SEPARATOR = ";"
# If a table would need narrower columns, each row is printed as a block with one line per value.
LEAST_WIDTH = 10
# Customers choose what is in their profile. A control character in it could move the operator's
# cursor or write other text over the screen, and a bidirectional one could reorder the line. A lone
# surrogate is no letter, and UTF-8 cannot encode it.
CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def shown(value: object) -> str:
    """Format a value for a terminal, without control characters."""
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


def duration(seconds: int | None) -> str:
    """Format seconds: 3 d 4 h, 2 min 5 s."""
    if seconds is None:
        return "-"
    parts: list[str] = []
    left = int(seconds)
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        number, left = divmod(left, size)
        if number or (unit == "s" and not parts):
            parts.append(f"{number} {unit}")
    return " ".join(parts[:2])


def estimate_text(estimate: Mapping[str, Any]) -> str:
    """Return an estimate in words, with its bounds unless they read alike: 2 h (1 h to 4 h)."""
    seconds, low, high = (duration(estimate[name]) for name in ("seconds", "low", "high"))
    return seconds if low == high else f"{seconds} ({low} to {high})"


def harmless(text: str) -> str:
    """Replace the control characters of a text, except line feeds."""
    return "\n".join(CONTROLS.sub("�", line) for line in text.split("\n"))


def escaped_json(value: object, indent: int | None = None) -> str:
    """Return the JSON of a value, with each control character of its texts as \\uXXXX.

    JSON itself escapes only those below U+0020, and terminals act on others too.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return "\n".join(CONTROLS.sub(_escape, line) for line in text.split("\n"))


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def plain(value: object) -> str:
    """Format a value as one field of a tab-separated line."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return CONTROLS.sub(" ", text)


def accept_any_text(stream: object) -> None:
    """Make a stream accept any text: a pipe as UTF-8, a terminal with ? for unknown letters."""
    if not isinstance(stream, io.TextIOWrapper):
        return
    if stream.isatty():
        stream.reconfigure(errors="replace")
    else:
        # A lone surrogate, which UTF-8 cannot encode, becomes the same \uXXXX that JSON uses.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


_STATUS = "waitlist show WAITLIST ENTRY prints the status."
# Which command helps after an error of the service, by its code.
NEXT_STEPS = {
    "confirm_off": "waitlist edit WAITLIST --confirm-every-days 90 sets it.",
    "entry_not_found": "waitlist find WAITLIST TEXT looks for people by a part of what they gave.",
    "entry_not_ready": "waitlist show WAITLIST ENTRY prints why.",
    "not_inside": _STATUS,
    "not_offered": _STATUS,
    "not_waiting": _STATUS,
    "offer_expired": _STATUS,
    "rest_not_allowed": "waitlist edit WAITLIST --rest-max-days 30 --rest-times 3 sets it.",
    "unauthorized": "waitlist token WAITLIST ENTRY issues an entry_token.",
    "waitlist_not_found": "waitlist list prints those that there are.",
}


class Console(rich.console.Console):
    """Raises BrokenPipeError, where rich would exit with code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def discard(console: Console) -> None:
    """Send further output to /dev/null, because flushing it at exit would fail again."""
    # A console in a test has no file descriptor.
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), console.file.fileno())


@dataclass(frozen=True)
class Output:
    """Prints results to `console` (stdout), notes and errors to `notes` (stderr)."""

    as_json: bool
    console: Console
    notes: Console

    def json(self, value: object) -> None:
        """Print a document, indented on a terminal."""
        indent = 2 if self.console.is_terminal else None
        self.line(escaped_json(value, indent))

    def json_line(self, value: object) -> None:
        """Print a document on one line."""
        self.line(escaped_json(value))

    def result(self, document: object, sentence: str) -> None:
        """Print what was done: as JSON, or as a sentence."""
        if self.as_json:
            self.json(document)
        else:
            self.text(sentence)

    def line(self, text: str) -> None:
        """Print and flush a line without wrapping or colours."""
        self.console.file.write(f"{text}\n")
        self.console.file.flush()

    def rows(
        self,
        columns: Sequence[str],
        rows: Iterable[Sequence[object]],
        *,
        title: str = "",
        right: Sequence[str] = (),
        document: object = None,
    ) -> None:
        """Print a table; in a pipe a header and rows with tabs, each row as soon as it is there.

        As JSON it is the document, if there is one.
        """
        if self.as_json and document is not None:
            self.json(document)
            return
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
        """Print each row as a block, for a terminal that is too narrow for the table."""
        if title:
            self.console.print(Text(shown(title), style="italic"))
        names = [HEADINGS.get(name, name) for name in columns]
        for row in rows:
            self.pairs(dict(zip(names, row, strict=True)))
            self.line("")

    def pairs(self, pairs: Mapping[str, object], document: object = None) -> None:
        """Print names and values, one pair a line; as JSON the document, if there is one."""
        if self.as_json and document is not None:
            self.json(document)
            return
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
        """Print a sentence."""
        self.console.print(Text(harmless(text)), soft_wrap=True)

    def note(self, text: str, style: str = "") -> None:
        """Print a note to standard error; a closed standard error does not end the command."""
        try:
            self.notes.print(Text(harmless(text), style=style), soft_wrap=True)
        except OSError:
            discard(self.notes)

    def problem(self, error: CliError) -> None:
        """Print an error with its code, and the errors of single fields."""
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
            # The message often repeats the error of the only invalid field.
            if line not in error.message:
                self.note(f"  {shown(line)}")
        if error.code in NEXT_STEPS:
            self.note(f"  {NEXT_STEPS[error.code]}")


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    right: Sequence[str] = (),
) -> Table:
    """Return a table of values."""
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
    """Return whether every column is wide enough to be read."""
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
        return VALUE_SEPARATOR.join(value)
    return json.dumps(value, ensure_ascii=False)


def details(mapping: Mapping[str, Any] | None) -> str:
    """Format a profile or attributes as name=value, name=value."""
    parts = []
    for name, value in (mapping or {}).items():
        parts.append(f"{name}={_brief(value)}")
    return ", ".join(parts)
