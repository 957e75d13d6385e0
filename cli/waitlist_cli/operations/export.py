"""Implements `waitlist export`, which writes people to a file or to the terminal."""

import io
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from tempfile import SpooledTemporaryFile
from typing import Any, TextIO

from rich.progress import Progress, TextColumn, TimeElapsedColumn

from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.cells import PARTS, cell_of, has_column, is_whole_in_cell
from waitlist_cli.imports.exported import FIELDS
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import (
    VALUE_SEPARATOR,
    escaped_json,
    format_count,
    replace_controls,
)
from waitlist_cli.terminal.private_files import open_private
from waitlist_cli.terminal.spreadsheets import UTF_8_MARK, SheetWriter

Person = dict[str, Any]
# Columns that every CSV file has.
ALWAYS = ("position", "entry_id", "customer_id", "status", "priority", "joined_at")
# Columns that a CSV file contains only if the operator asks for all columns.
IF_ASKED = ("ready", "ready_ahead", "asked_at", "room_until", "call")
# Columns that a CSV file has only if at least one person has a value for them.
IF_ANY = tuple(name for name in FIELDS if name not in (*ALWAYS, *IF_ASKED, "total"))
# The statuses by which the API lists people. It can list banned people twice: as `banned`, and as
# `admitted` or `left`.
ALL = "all"
EVERYONE = ("waiting", "offered", "parked", "admitted", "left", "banned")
# The maximum number of fields that get their own column. Guests can invent field names, and a
# spreadsheet cannot open a file with too many columns.
MOST_FIELDS = 200
SPOOLED_BYTES = 8_000_000
Pages = Callable[[str], Iterator[Person]]


@dataclass(frozen=True)
class Sheet:
    """Says which columns a CSV file has."""

    # The profile fields and attributes that become columns, such as ("profile", "email"). If the
    # list is empty, every profile field and attribute in use becomes a column.
    questions: Sequence[tuple[str, str]] = ()
    # True if the file has all possible columns, including those that are empty for everyone.
    is_whole: bool = False


def sheet_of(waitlist: Mapping[str, Any]) -> Sheet:
    """Choose the columns of a waitlist's CSV file.

    If the signup form asks no questions, people can have any profile fields and attributes, so each
    one in use becomes a column.
    """
    asked = [
        (question["kept_in"], question["name"])
        for question in (waitlist.get("page") or {}).get("fields", ())
    ]
    if not asked:
        return Sheet()
    identity = waitlist.get("identity")
    address = [("profile", identity["field"])] if identity else []
    segments = [("attributes", name) for names in waitlist["segments"] for name in names]
    return Sheet([*dict.fromkeys([*address, *asked, *segments])])


def everyone(pages: Pages) -> Iterator[Person]:
    """Yield every person exactly once. `pages` returns the people with a given status."""
    for status in EVERYONE:
        for person in pages(status):
            # The API also lists a banned person as `admitted` or `left` if they were admitted or
            # have left. Such a person has already been yielded.
            is_written = status == "banned" and (person["left_at"] or person["admitted_at"])
            if not is_written:
                yield person


def export_people(
    context: Context,
    waitlist_id: str,
    form: str,
    query: dict[str, str],
    output: str | None,
    *,
    is_whole: bool = False,
) -> None:
    """Export all entries that match a query, with only one page of them in memory at a time."""

    def pages(status: str) -> Iterator[Person]:
        path, asked = f"/{waitlist_id}/entries", {**query, "status": status}
        return context.pages(path, "entries", None, **asked)

    sheet = Sheet(is_whole=is_whole)
    if form == "csv" and not is_whole:
        sheet = sheet_of(context.call("GET", waitlist_id))
    people = everyone(pages) if query["status"] == ALL else pages(query["status"])
    # Fetch the first person before opening the file, so that an existing file stays unchanged if
    # the request is refused.
    first = list(islice(people, 1))
    count = 0

    def counted_people() -> Iterator[Person]:
        nonlocal count
        for person in chain(first, people):
            count += 1
            progress.update(task, completed=count)
            yield person

    with _opened(output) as file, _counter(context, output) as (progress, task):
        # On a terminal, replace control characters, which the terminal would interpret.
        shown = _harmless if file.isatty() else str
        for text in texts_of(counted_people(), form, sheet):
            file.write(shown(text))
    if output is not None:
        text = f"{format_count(count, 'person', 'people')} in {output}"
        context.output.result({"people": count, "file": output}, text)


def texts_of(people: Iterable[Person], form: str, sheet: Sheet) -> Iterator[str]:
    """Yield the text of an export in pieces.

    A CSV file's header depends on everyone's data, so all people are read before the file is
    written.
    """
    if form == "jsonl":
        yield from (escaped_json(person) + "\n" for person in people)
        return
    with SpooledTemporaryFile(SPOOLED_BYTES, "w+", encoding="utf-8") as spool:
        fields = Counter[tuple[str, str]]()
        used = set[str]()
        for person in people:
            fields.update((part, name) for part in PARTS for name in person[part])
            used.update(name for name in IF_ANY if person.get(name))
            spool.write(json.dumps(person) + "\n")
        spool.seek(0)
        columns = [*ALWAYS, *(name for name in IF_ANY if name in used)]
        if sheet.is_whole:
            columns = [*ALWAYS, *IF_ANY, *IF_ASKED]
        # A byte order mark makes spreadsheets read the file as UTF-8.
        yield UTF_8_MARK
        yield from _sheet(map(json.loads, spool), columns, _fields(sheet, fields))


def _fields(sheet: Sheet, counts: Counter[tuple[str, str]]) -> Sequence[tuple[str, str]]:
    """Return the fields that become columns, in the order of the signup form."""
    if sheet.questions:
        return sheet.questions
    chosen = dict(counts.most_common(MOST_FIELDS))
    found = [field for field in counts if field in chosen and has_column(field[1])]
    return sorted(found, key=lambda field: PARTS.index(field[0]))


def _sheet(
    people: Iterable[Person], columns: Sequence[str], fields: Sequence[tuple[str, str]]
) -> Iterator[str]:
    buffer = io.StringIO(newline="")
    writer = SheetWriter(buffer)
    # The last columns contain the remaining profile fields and attributes as JSON.
    writer.header([*columns, *map(".".join, fields), *PARTS])
    for person in people:
        yield _taken(buffer)
        rest = {part: dict(person[part]) for part in PARTS}
        cells = [_cell(part, rest[part], name) for part, name in fields]
        others = [escaped_json(rest[part]) if rest[part] else "" for part in PARTS]
        writer.row([*(_shown(person.get(name)) for name in columns), *cells, *others])
    yield _taken(buffer)


def _shown(value: Any) -> Any:
    """Return a value as text that spreadsheets do not change.

    For example, a German spreadsheet would change `true` to `WAHR`.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    return VALUE_SEPARATOR.join(value) if isinstance(value, list) else value


def _cell(part: str, rest: dict[str, Any], name: str) -> str:
    """Return the cell text for a profile field or an attribute.

    `rest` contains the values that are exported as JSON. A value that the cell represents exactly
    is removed from `rest`.
    """
    if name not in rest:
        return ""
    value = rest[name]
    if is_whole_in_cell(part, value):
        del rest[name]
    return cell_of(part, value)


def _harmless(text: str) -> str:
    return "\r\n".join(map(replace_controls, text.removeprefix(UTF_8_MARK).split("\r\n")))


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


@contextmanager
def _opened(output: str | None) -> Iterator[TextIO]:
    if output is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    try:
        file = open_private(output)
    except OSError as error:
        raise WrongUsage(f"{output} cannot be written: {error.strerror}") from error
    with file:
        yield file


@contextmanager
def _counter(context: Context, output: str | None) -> Iterator[tuple[Progress, Any]]:
    """Show on the terminal how many people have been exported, unless the export itself is written
    to the terminal.
    """
    notes = context.output.notes
    hidden = not notes.is_terminal or (output is None and context.output.console.is_terminal)
    columns = (TextColumn("{task.completed:,} people"), TimeElapsedColumn())
    with Progress(*columns, console=notes, disable=hidden, transient=True) as progress:
        yield progress, progress.add_task("export", total=None)
