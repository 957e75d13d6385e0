"""Prints results: tables and colours on a terminal, plain lines in a pipe, and JSON for scripts."""

import io
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
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
from waitlist_cli.terminal.times import INSTANT, localize, localize_briefly

TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{3}Z")
HEADINGS = {
    "position": "#",
    "call_number": "number",
    "customer_id": "customer",
    "joined_at": "joined",
}
# The columns that are never wrapped, because operators copy their values from the screen.
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
# The separator between the values of an attribute, both on the screen and in files.
VALUE_SEPARATOR = ";"
# The minimum width of a table's columns. If the terminal is too narrow for such a table, each row
# is printed as a block of lines instead.
LEAST_WIDTH = 10
# Control characters in customers' texts are replaced before they are printed, because they could
# move the cursor, overwrite the screen or reverse the reading direction.
CONTROLS = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def format_value(value: object) -> str:
    """Format a value for a terminal, and replace its control characters."""
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


def format_duration(seconds: int | None) -> str:
    """Format a number of seconds with its two largest units, such as 3 d 4 h or 2 min 5 s."""
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
    """Format an estimated wait and its lower and upper bounds, such as 2 h (1 h to 4 h)."""
    seconds, low, high = (format_duration(estimate[name]) for name in ("seconds", "low", "high"))
    return seconds if low == high else f"{seconds} ({low} to {high})"


def replace_controls(text: str) -> str:
    """Replace the control characters in a text, except line feeds."""
    return "\n".join(CONTROLS.sub("�", line) for line in text.split("\n"))


def escaped_json(value: object, indent: int | None = None) -> str:
    """Encode a value as JSON. Characters that a terminal would interpret are escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return "\n".join(CONTROLS.sub(_escape, line) for line in text.split("\n"))


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def format_field(value: object) -> str:
    """Format a value as a field of a tab-separated line."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return CONTROLS.sub(" ", text)


def accept_any_text(stream: object) -> None:
    """Configure an output stream so that any text can be written to it.

    Characters that the terminal does not support become question marks.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return
    if stream.isatty():
        stream.reconfigure(errors="replace")
    else:
        # UTF-8 cannot encode a lone surrogate. Write the surrogate as \uXXXX, as JSON does.
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


_STATUS = "Run `waitlist show WAITLIST ENTRY` to see the status."
# What the operator can do after an error, by the service's error code.
NEXT_STEPS = {
    "claim_expired": _STATUS,
    "confirm_off": "To ask people regularly whether they are still waiting, run `waitlist edit "
    "WAITLIST --confirm-every-days 90`.",
    "entry_not_found": "Run `waitlist find WAITLIST TEXT` to search people's customer ids, "
    "profiles and attributes.",
    "entry_not_ready": "Run `waitlist show WAITLIST ENTRY` to see why the entry cannot be admitted "
    "now.",
    "not_inside": _STATUS,
    "not_offered": _STATUS,
    "not_waiting": _STATUS,
    "offer_expired": _STATUS,
    "rest_not_allowed": "To allow customers to let others pass them in the queue, run `waitlist "
    "edit WAITLIST --rest-max-days 30 --rest-times 3`.",
    "unauthorized": "Run `waitlist token WAITLIST ENTRY` to issue an entry_token.",
    "waitlist_not_found": "Run `waitlist list` to see the existing waitlists.",
}


class Console(rich.console.Console):
    """A Rich console that raises BrokenPipeError if the program that reads the output has ended.

    By default, Rich would end the command with exit code 1.
    """

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def discard(console: Console) -> None:
    """Send all further output to /dev/null.

    Call this function after an attempt to write has failed. Otherwise, Python would fail a second
    time when it flushes the output at exit.
    """
    # The console has no file descriptor in tests.
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), console.file.fileno())


@dataclass(frozen=True)
class Output:
    """A command's output.

    Results go to standard output, and notes and errors go to standard error.
    """

    as_json: bool
    console: Console
    notes: Console
    # Returns the time zone in which the terminal shows times. In output for programs, times are in
    # UTC.
    zone: Callable[[], str] = lambda: "UTC"

    def json(self, value: object) -> None:
        """Print a value as JSON. On a terminal, the JSON is indented."""
        indent = 2 if self.console.is_terminal else None
        self.line(escaped_json(value, indent))

    def json_line(self, value: object) -> None:
        """Print a value as JSON on a single line."""
        self.line(escaped_json(value))

    def result(self, document: object, sentence: str) -> None:
        """Print the result of a command: `document` if the operator asked for JSON, or else
        `sentence`.
        """
        if self.as_json:
            self.json(document)
        else:
            self.text(sentence)

    def line(self, text: str) -> None:
        """Print a line without wrapping or colours, then flush the output."""
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
        """Print a table on a terminal, or tab-separated rows if the output is not a terminal.

        If the operator asked for JSON, print `document` as JSON instead.
        """
        if self.as_json and document is not None:
            self.json(document)
            return
        if not self.console.is_terminal:
            for row in chain([columns], rows):
                self.line("\t".join(map(format_field, row)))
            return
        whole = [[self._shown(value) for value in row] for row in rows]
        if _fits(columns, whole, self.console.width):
            self.console.print(table(columns, whole, title=title, right=right))
        else:
            self._blocks(columns, whole, title)

    def _blocks(self, columns: Sequence[str], rows: Sequence[Sequence[object]], title: str) -> None:
        """Print each row as a block of lines, because the terminal is too narrow for a table."""
        if title:
            self.console.print(Text(format_value(title), style="italic"))
        names = [HEADINGS.get(name, name) for name in columns]
        for row in rows:
            self.pairs(dict(zip(names, row, strict=True)))
            self.line("")

    def pairs(self, pairs: Mapping[str, object], document: object = None) -> None:
        """Print names and values, one pair per line.

        If the operator asked for JSON, print `document` as JSON instead.
        """
        if self.as_json and document is not None:
            self.json(document)
            return
        if not self.console.is_terminal:
            for name, value in pairs.items():
                self.line(f"{name}\t{format_field(value)}")
            return
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="cyan", no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in pairs.items():
            grid.add_row(Text(name), Text(format_value(self._shown(value))))
        self.console.print(grid)

    def text(self, text: str) -> None:
        if self.console.is_terminal and INSTANT.search(text):
            text = localize(text, self.zone())
        self.console.print(Text(replace_controls(text)), soft_wrap=True)

    def _shown(self, value: object) -> object:
        """Convert the times in a value to the output's time zone."""
        if isinstance(value, str) and INSTANT.search(value):
            return localize_briefly(value, self.zone())
        return value

    def note(self, text: str, style: str = "") -> None:
        """Print a note to standard error. If standard error is closed, ignore the note."""
        try:
            self.notes.print(Text(replace_controls(text), style=style), soft_wrap=True)
        except OSError:
            discard(self.notes)

    def problem(self, error: CliError) -> None:
        """Print an error with its code and its field errors."""
        if self.as_json:
            try:
                self.notes.file.write(escaped_json(error.as_json()) + "\n")
            except OSError:
                discard(self.notes)
            return
        code = f" ({error.code})" if error.code else ""
        self.note(f"{format_value(error.message)}{code}", "red")
        for field in error.fields:
            line = f"{field.field}: {field.message}"
            # If only one field is invalid, the error message often contains the field's error. In
            # that case, do not print the field's error a second time.
            is_same = len(error.fields) == 1 and field.message.lower() in error.message.lower()
            if line not in error.message and not is_same:
                self.note(f"  {format_value(line)}")
        if error.code in NEXT_STEPS:
            self.note(f"  {NEXT_STEPS[error.code]}")


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    right: Sequence[str] = (),
) -> Table:
    made = Table(
        title=Text(format_value(title)) if title else None,
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
    """Return whether a table is at most `width` characters wide if each of its columns has its
    minimum width.
    """
    needed = 1
    for number, name in enumerate(columns):
        texts = [HEADINGS.get(name, name), *(format_value(row[number]) for row in rows)]
        widest = max(map(cell_len, texts))
        needed += 3 + (widest if name in WHOLE else min(widest, LEAST_WIDTH))
    return needed <= width


def format_count(number: int, singular: str, plural: str) -> str:
    """Format a number with its noun, such as 1 row or 2 rows."""
    return f"{number:,} {singular if number == 1 else plural}"


def _cell(value: object) -> RenderableType:
    return value if isinstance(value, Text) else Text(format_value(value))


def _brief(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return VALUE_SEPARATOR.join(value)
    return json.dumps(value, ensure_ascii=False)


def format_details(mapping: Mapping[str, Any] | None) -> str:
    """Format a profile or attributes as text, such as name=Ada, language=English."""
    parts = []
    for name, value in (mapping or {}).items():
        parts.append(f"{name}={_brief(value)}")
    return ", ".join(parts)
