"""`waitlist export`: writes people page by page."""

import io
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from tempfile import SpooledTemporaryFile
from typing import Any, TextIO

from rich.progress import Progress, TextColumn, TimeElapsedColumn

from waitlist_cli.errors import WrongUsage
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import VALUE_SEPARATOR, counted, escaped_json, harmless
from waitlist_cli.terminal.private_files import open_private
from waitlist_cli.terminal.spreadsheets import SheetWriter

COLUMNS = (
    "position",
    "entry_id",
    "customer_id",
    "status",
    "priority",
    "joined_at",
    "attempts",
    "offered_until",
    "claimed_until",
    "parked_at",
    "park_reason",
    "ready",
    "ready_ahead",
    "not_ready",
    "rest_until",
    "held_back_reason",
    "confirm_by",
    "confirmed_at",
    "delayed_until",
    "messages_off",
    "unreachable",
)
Person = dict[str, Any]
ON_LIST = ("waiting", "offered", "parked", "unreachable", "messages_off")
# Written too where the stay has ended.
ENDED = ("admitted_at", "inside_until", "exited_at", "left_at", "banned_at", "ban_reason")
# The fields that become columns, those that most people have; a file of more would open in no
# spreadsheet, and guests choose the names.
PARTS = ("profile", "attributes")
MOST_FIELDS = 200
SPOOLED_BYTES = 8_000_000


def export_people(
    context: Context, waitlist_id: str, form: str, query: dict[str, str], output: str | None
) -> None:
    """Write all entries of a query, with one page in memory."""
    people = context.pages(f"/{waitlist_id}/entries", "entries", None, **query)
    # Read before the file is opened, so that a refusal leaves an existing file as it was.
    first = list(islice(people, 1))
    count = 0

    def counted_people() -> Iterator[Person]:
        nonlocal count
        for person in chain(first, people):
            count += 1
            progress.update(task, completed=count)
            yield person

    with _opened(output) as file, _counter(context, output) as (progress, task):
        # A file keeps control characters; a terminal would act on them.
        shown = _harmless if file.isatty() else str
        for text in texts_of(counted_people(), form, query["status"]):
            file.write(shown(text))
    if output is not None:
        text = f"{counted(count, 'person', 'people')} in {output}"
        context.output.result({"people": count, "file": output}, text)


def texts_of(people: Iterable[Person], form: str, status: str) -> Iterator[str]:
    """Yield the text of a file, a person at a time; that of a CSV after the last person was read.

    A CSV has one column for each field of the profiles and each attribute.
    """
    if form == "jsonl":
        yield from (escaped_json(person) + "\n" for person in people)
        return
    columns = COLUMNS if status in ON_LIST else COLUMNS + ENDED
    with SpooledTemporaryFile(SPOOLED_BYTES, "w+", encoding="utf-8") as spool:
        fields = Counter[tuple[str, str]]()
        for person in people:
            fields.update((part, name) for part in PARTS for name in person[part])
            spool.write(json.dumps(person) + "\n")
        spool.seek(0)
        yield from _sheet(map(json.loads, spool), columns, fields)


def _sheet(
    people: Iterable[Person], columns: Sequence[str], counts: Counter[tuple[str, str]]
) -> Iterator[str]:
    chosen = dict(counts.most_common(MOST_FIELDS))
    # In the order in which they were found first, as the service answers them.
    fields = sorted((one for one in counts if one in chosen), key=lambda one: PARTS.index(one[0]))
    buffer = io.StringIO(newline="")
    writer = SheetWriter(buffer)
    # `attributes` and `profile` have the rest as JSON: of too many fields, and what no cell holds.
    writer.header([*columns, *(".".join(one) for one in fields), *PARTS])
    for person in people:
        yield _taken(buffer)
        rest = {part: dict(person[part]) for part in PARTS}
        cells = [_cell(part, rest[part], name) for part, name in fields]
        others = [escaped_json(rest[part]) if rest[part] else "" for part in PARTS]
        writer.row([*(_shown(person.get(name)) for name in columns), *cells, *others])
    yield _taken(buffer)


def _shown(value: Any) -> Any:
    return VALUE_SEPARATOR.join(value) if isinstance(value, list) else value


def _cell(part: str, rest: dict[str, Any], name: str) -> str:
    """Take a field out of the rest and return it as a cell."""
    if name not in rest:
        return ""
    value = rest[name]
    if part == "attributes":
        values = value if isinstance(value, list) else [value]
        if any(VALUE_SEPARATOR in one for one in values):
            # An import would take it for several values.
            return ""
        value = VALUE_SEPARATOR.join(values)
    rest.pop(name)
    return value if isinstance(value, str) else escaped_json(value)


def _harmless(text: str) -> str:
    return "\r\n".join(map(harmless, text.split("\r\n")))


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
    """Show a counter, unless it would mix with the output."""
    notes = context.output.notes
    hidden = not notes.is_terminal or (output is None and context.output.console.is_terminal)
    columns = (TextColumn("{task.completed:,} people"), TimeElapsedColumn())
    with Progress(*columns, console=notes, disable=hidden, transient=True) as progress:
        yield progress, progress.add_task("export", total=None)
