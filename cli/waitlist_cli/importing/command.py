"""What `waitlist import` says and ends with, around one run."""

import shlex
import sys
from dataclasses import dataclass
from typing import Any, NoReturn

from waitlist_cli.desk import Desk
from waitlist_cli.errors import INTERRUPTED, CliError
from waitlist_cli.importing.columns import Columns
from waitlist_cli.importing.progress import Bar
from waitlist_cli.importing.records import Source, size_of
from waitlist_cli.importing.refusals import Refusals, refusals_path
from waitlist_cli.importing.run import Counts, ImportRun
from waitlist_cli.importing.token_file import TokenFile, token_file
from waitlist_cli.output import counted
from waitlist_cli.stopping import Told


@dataclass(frozen=True)
class Task:
    """What was typed, but for the columns."""

    waitlist_id: str
    file: str
    from_row: int
    refused: str | None
    tokens: str | None = None
    ended: str | None = None


def import_people(desk: Desk, task: Task, source: Source, columns: Columns) -> int:
    """Import an open file, and return the exit code."""
    columns.check(source.columns)
    api = desk.api
    path = refusals_path(task.file, source.form, task.refused)
    tokens = token_file(task.tokens, (task.file, path), goes_on=task.from_row > 1)
    refusals = Refusals(path, source.columns, goes_on=task.from_row > 1)
    told = Told(lambda: _finish(desk, run), _stop)
    api.sleep = lambda seconds: _pause(told, seconds)
    run = ImportRun(api, task.waitlist_id, source, columns, refusals, told, tokens, task.ended)
    bar = Bar(desk.out.notes, f"Into {task.waitlist_id}", size_of(task.file))
    try:
        with told.listening(), bar:
            run.run(task.from_row, bar)
    except (CliError, OSError, KeyboardInterrupt):
        _say_how_to_go_on(desk, task, run.counts)
        raise
    _report(desk, run.counts, refusals, tokens)
    if not run.counts.is_whole:
        _say_how_to_go_on(desk, task, run.counts)
        return INTERRUPTED
    return 1 if run.counts.refused else 0


def _finish(desk: Desk, run: ImportRun) -> None:
    """Let a call under way end; who only waits for more of a file is done at once."""
    if run.is_reading:
        raise KeyboardInterrupt
    desk.out.note("Stopping behind this call. Ctrl-C again: at once.")


def _stop() -> NoReturn:
    raise KeyboardInterrupt


def _pause(told: Told, seconds: float) -> None:
    """Wait before the next try, but not against who wants to stop."""
    if told.to_finish.wait(seconds):
        raise KeyboardInterrupt


def _report(desk: Desk, counts: Counts, refusals: Refusals, tokens: TokenFile | None) -> None:
    rate = counts.rows / counts.seconds if counts.seconds else 0.0
    document: dict[str, Any] = {
        "rows": counts.rows,
        "joined": counts.joined,
        "already": counts.already,
        "ended": counts.ended,
        "refused": counts.refused,
        "last_row": counts.done_row,
        "whole": counts.is_whole,
        "seconds": round(counts.seconds, 3),
        "rows_per_second": round(rate, 1),
        "refused_file": str(refusals.path) if refusals.count else None,
        "tokens_file": str(tokens.path) if tokens and tokens.count else None,
    }
    if desk.out.as_json:
        desk.out.json(document)
        return
    ended = f"{counts.ended:,} left or admitted before, " if counts.ended else ""
    desk.out.say(
        f"{counted(counts.rows, 'row', 'rows')} in {counts.seconds:,.1f} s ({rate:,.0f} a second): "
        f"{counts.joined:,} joined, {counts.already:,} already there, {ended}"
        f"{counts.refused:,} refused."
    )
    if refusals.count:
        desk.out.say(f"The refused rows, with reasons: {refusals.path}")
    if tokens and tokens.count:
        desk.out.say(f"The entry tokens, each its person's secret: {tokens.path}")


def _say_how_to_go_on(desk: Desk, task: Task, counts: Counts) -> None:
    """Tell how far it came, if anywhere: no file of ours remembers it."""
    if counts.done_row < task.from_row:
        return
    row = counts.done_row + 1
    again = shlex.join(["waitlist", *sys.argv[1:]])
    desk.out.note(
        f"Rows up to {counts.done_row:,} are done. To go on there, add --from-row {row}; "
        f"the same command as before ends the same, too:\n  {again}",
        "yellow",
    )
