"""`waitlist export`: writes people page by page."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, TextIO

from rich.progress import Progress, TextColumn, TimeElapsedColumn

from waitlist_cli.context import Context
from waitlist_cli.errors import WrongUsage
from waitlist_cli.output import counted, escaped_json, harmless
from waitlist_cli.private_files import open_private
from waitlist_cli.spreadsheets import SheetWriter

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
    "profile",
    "attributes",
)
ON_LIST = ("waiting", "offered", "parked")
# Written too where the stay has ended.
ENDED = ("admitted_at", "inside_until", "exited_at", "left_at")
Write = Callable[[dict[str, Any]], object]


def export_people(
    context: Context, waitlist_id: str, form: str, query: dict[str, str], output: str | None
) -> None:
    """Write all entries of a query, with one page in memory."""
    people = context.pages(f"/{waitlist_id}/entries", "entries", None, **query)
    # Read before the file is opened, so that a refusal leaves an existing file as it was.
    first = list(islice(people, 1))
    count = 0
    with _opened(output) as file, _counter(context, output) as (progress, task):
        write = writer(file, form, query["status"])
        for person in chain(first, people):
            write(person)
            count += 1
            progress.update(task, completed=count)
    if output is not None and context.output.as_json:
        context.output.json({"people": count, "file": output})
    elif output is not None:
        context.output.text(f"{counted(count, 'person', 'people')} in {output}")


def writer(file: TextIO, form: str, status: str) -> Write:
    """Return a function that writes an entry; a CSV gets its header first."""
    columns = COLUMNS if status in ON_LIST else COLUMNS + ENDED
    return _csv(file, columns) if form == "csv" else _jsonl(file)


def _csv(file: TextIO, columns: Sequence[str]) -> Write:
    writer = SheetWriter(file)
    writer.header(columns)
    return lambda person: writer.row([_cell(person[name], file) for name in columns])


def _jsonl(file: TextIO) -> Write:
    return lambda person: file.write(escaped_json(person) + "\n")


def _cell(value: object, file: TextIO) -> object:
    if isinstance(value, dict):
        return escaped_json(value)
    # A file keeps control characters; a terminal would act on them.
    return harmless(value) if isinstance(value, str) and file.isatty() else value


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
