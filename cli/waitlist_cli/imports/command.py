"""Runs an import, prints its report, and returns the exit code."""

import shlex
import sys
from dataclasses import dataclass
from typing import Any, NoReturn

from waitlist_cli.errors import INTERRUPTED, CliError
from waitlist_cli.imports.columns import Columns
from waitlist_cli.imports.dry_run import SHOWN as SHOWN_PEOPLE
from waitlist_cli.imports.dry_run import try_out_import
from waitlist_cli.imports.progress import Bar
from waitlist_cli.imports.records import Source, size_of
from waitlist_cli.imports.rejected_rows import RejectedRows, rejected_path
from waitlist_cli.imports.run import Counts, ImportRun
from waitlist_cli.imports.token_file import TokenFile, choose_token_file
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import format_count, format_value
from waitlist_cli.work.signals import Shutdown

# The report lists at most this many reasons why rows were refused: the most common ones.
SHOWN_REASONS = 3


@dataclass(frozen=True)
class Task:
    """The import options that are not about the columns."""

    waitlist_id: str
    file: str
    from_row: int
    refused: str | None
    tokens: str | None = None
    ended: str | None = None
    on_list: str | None = None
    read_as: str = ""


def import_people(context: Context, task: Task, source: Source, columns: Columns) -> int:
    """Import the people from an open file, and return the exit code."""
    columns.check(source.columns)
    api = context.api
    path = rejected_path(task.file, source.form, task.refused)
    tokens = choose_token_file(task.tokens, (task.file, path), append=task.from_row > 1)
    append = task.from_row > 1
    rejected = RejectedRows(path, source, append=append, read_as=task.read_as)
    shutdown = Shutdown(lambda: _finish(context, run), _stop)
    api.sleep = lambda seconds: _pause(shutdown, seconds)
    run = ImportRun(
        api,
        task.waitlist_id,
        source,
        columns,
        rejected,
        shutdown,
        tokens,
        task.ended,
        task.on_list,
    )
    bar = Bar(context.output.notes, f"Into {task.waitlist_id}", size_of(task.file))
    try:
        with shutdown.installed(), bar:
            run.run(task.from_row, bar.move)
    except (CliError, OSError, KeyboardInterrupt):
        _print_how_to_continue(context, task, run.counts)
        raise
    _report(context, run.counts, rejected, tokens)
    if not run.counts.is_whole:
        _print_how_to_continue(context, task, run.counts)
        return INTERRUPTED
    return 1 if run.counts.refused else 0


def try_import(context: Context, source: Source, columns: Columns, waitlist_id: str = "") -> int:
    """Print what an import would do.

    Return the exit code, which is 1 if any rows would be refused.
    """
    columns.check(source.columns)
    output = context.output
    # Only people at a terminal see names.
    is_for_people = output.console.is_terminal and not output.as_json
    waitlist = context.waitlist if is_for_people else None
    found = try_out_import(context.api, waitlist_id, source.records(), columns, waitlist)
    if output.as_json:
        output.json(found.as_json())
        return 1 if found.refused_rows else 0
    done = "written" if columns.identity else "sent"
    output.text(
        f"Nothing was {done}. {format_count(found.rows, 'row', 'rows')}: "
        f"{format_count(found.people, 'person', 'people')}, "
        f"{format_count(found.duplicate_rows, 'duplicate', 'duplicates')}, "
        f"{_of_export(found.banned, found.left_out)}{found.refused_rows:,} refused."
    )
    for text, rows in found.notes.most_common():
        output.text(f"  {rows:,}: {format_value(text)}")
    for row, former in found.duplicates:
        who = format_value(former.name)
        output.text(f"  Row {row:,} has the same customer as row {former.row:,}: {who}")
    for text, rows in found.reasons.most_common(SHOWN_REASONS):
        output.text(f"  {rows:,} would be refused: {format_value(text)}")
    first_of_last = found.people - len(found.last) + 1
    order = [*enumerate(found.first, 1), *enumerate(found.last, first_of_last)]
    people = [
        (place, person.name, person.priority, person.joined_at, person.row)
        for place, person in order
    ]
    names = ("position", "customer_id", "priority", "joined_at", "row")
    whole = format_count(found.people, "person", "people")
    title = f"The first and last {SHOWN_PEOPLE} of {whole} in their new order"
    output.rows(names, people, title=title, right=("position", "priority", "row"))
    return 1 if found.refused_rows else 0


def _finish(context: Context, run: ImportRun) -> None:
    """Stop the import. If a request is being sent, let it finish first."""
    if run.is_reading:
        raise KeyboardInterrupt
    context.output.note("Stopping after the current request. Press Ctrl-C again to stop at once.")


def _stop() -> NoReturn:
    raise KeyboardInterrupt


def _pause(shutdown: Shutdown, seconds: float) -> None:
    """Wait before the next attempt. Ctrl-C ends the wait and the import."""
    if shutdown.to_finish.wait(seconds):
        raise KeyboardInterrupt


def _report(
    context: Context, counts: Counts, rejected: RejectedRows, tokens: TokenFile | None
) -> None:
    rate = counts.rows / counts.seconds if counts.seconds else 0.0
    commonest = counts.reasons.most_common(SHOWN_REASONS)
    document: dict[str, Any] = {
        "rows": counts.rows,
        "joined": counts.joined,
        "already": counts.already,
        "ended": counts.ended,
        "banned": counts.banned,
        "left_out": counts.left_out,
        "notes": [{"note": text, "rows": rows} for text, rows in counts.remarks],
        "refused": counts.refused,
        "reasons": [{"reason": text, "rows": rows} for text, rows in commonest],
        "warnings": counts.warned,
        "warned_rows": counts.warned_rows,
        "beside_address": counts.beside_address,
        "last_row": counts.done_row,
        "whole": counts.is_whole,
        "seconds": round(counts.seconds, 3),
        "rows_per_second": round(rate, 1),
        "refused_file": str(rejected.path) if rejected.count else None,
        "tokens_file": str(tokens.path) if tokens and tokens.count else None,
    }
    if context.output.as_json:
        context.output.json(document)
        return
    ended = f"{counts.ended:,} already left or admitted, " if counts.ended else ""
    context.output.text(
        f"{format_count(counts.rows, 'row', 'rows')} in {counts.seconds:,.1f} s "
        f"({rate:,.0f} a second): {counts.joined:,} joined, "
        f"{counts.already:,} already on the list, {ended}"
        f"{_of_export(counts.banned, counts.left_out)}{counts.refused:,} refused."
    )
    for text, rows in counts.remarks:
        context.output.text(f"  {rows:,}: {format_value(text)}")
    for text, rows in commonest:
        context.output.text(f"  {rows:,} refused: {format_value(text)}")
    if counts.warned:
        again = (
            "To replace the guests with the customers from the file, import the file with "
            "--on-list replace."
        )
        context.output.note(f"{counts.warning} {again}", "yellow")
    if rejected.count:
        context.output.text(
            f"The refused rows and the reasons are in {rejected.path}. Correct the rows, then "
            "import this file with the same options."
        )
    if tokens and tokens.count:
        context.output.text(f"The entry tokens are in {tokens.path}. Keep this file secret.")


def _of_export(banned: int, left_out: int) -> str:
    """Return a phrase about rows that add nobody to the queue, such as "2 banned, 3 left out, ".

    A count of 0 is not mentioned.
    """
    return "".join(
        f"{number:,} {words}, "
        for number, words in ((banned, "banned"), (left_out, "left out"))
        if number
    )


def _print_how_to_continue(context: Context, task: Task, counts: Counts) -> None:
    """Print the command and the row number for continuing the import."""
    if counts.done_row < task.from_row:
        return
    row = counts.done_row + 1
    again = shlex.join(["waitlist", *sys.argv[1:]])
    context.output.note(
        f"Rows up to {counts.done_row:,} are done. To continue, run the same command again. Add "
        f"--from-row {row} to skip the finished rows:\n  {again}",
        "yellow",
    )
