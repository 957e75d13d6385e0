"""Moves the people in a dropped file to the front, to the back, or to another priority."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from starlette.routing import Route

from waitlist_cli.client.api import Api
from waitlist_cli.console.actions import Form
from waitlist_cli.console.context import Console
from waitlist_cli.console.file_job import SHOWN_ROWS, FileJob, FileJobs, Reading
from waitlist_cli.console.files import Kind, file_routes, reading_of
from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.guesses import guess_customer_column
from waitlist_cli.imports.invalid import InvalidRow
from waitlist_cli.imports.records import Record, Source
from waitlist_cli.imports.rejected_rows import RejectedRows
from waitlist_cli.imports.run import UNUSABLE, Counts
from waitlist_cli.operations import bump
from waitlist_cli.operations.action import REASON, Document
from waitlist_cli.operations.bump import ENDS, MOST_PRIORITY, Bumps
from waitlist_cli.terminal.output import format_count
from waitlist_cli.work.signals import Shutdown

# The form does not offer to move people forward by a number of places. If a row were sent twice,
# the person would be moved twice.
WHERE = replace(bump.WHERE, options=[end for end in bump.WHERE.options if end[0] != "places"])
PRIORITY = replace(bump.NUMBER, label="Priority")


def routes(console: Console, jobs: FileJobs) -> list[Route]:
    return file_routes(console, jobs, KIND)


@dataclass(frozen=True)
class MoveTask:
    """A task that moves the people in a file.

    The order of the requests matters, so the task sends one request at a time.
    """

    bumps: Bumps
    reading: Reading

    def check(self, source: Source) -> None:
        if source.columns is not None and self.bumps.column not in source.columns:
            raise WrongUsage(f"The file has no column {self.bumps.column!r}.")

    def run(self, job: FileJob, source: Source, api: Api, shutdown: Shutdown) -> bool:
        counts, began, before = job.counts, monotonic(), job.counts.rows
        rejected = RejectedRows(job.refused_path, source, append=before > 0)
        records = self.bumps.in_order(list(source.records()))
        try:
            for record in records[before:]:
                if shutdown.to_finish.is_set():
                    return False
                self._move(api, record, counts, rejected)
                counts.seconds = monotonic() - began
                job.reached(counts.rows / len(records))
        finally:
            rejected.close()
        return True

    def _move(self, api: Api, record: Record, counts: Counts, rejected: RejectedRows) -> None:
        try:
            refusal = self.bumps.move(api, record)
        except InvalidRow as error:
            code, reason = UNUSABLE, str(error)
        else:
            if refusal is None:
                counts.moved += 1
                return
            code, reason = refusal.code, refusal.message
        counts.refuse(reason)
        rejected.add(record, code, reason)


def _ready(job: FileJob, _waitlist: Document, reading: Reading) -> Mapping[str, Any]:
    names, records = job.sample(reading)
    samples = [[record.fields.get(name) for record in records] for name in names]
    return {
        "columns": [
            (name, values[:SHOWN_ROWS]) for name, values in zip(names, samples, strict=True)
        ],
        "customer": guess_customer_column(names, samples),
        "rows": job.row_count(reading),
        "fields": (WHERE, PRIORITY, REASON),
    }


def _task(job: FileJob, form: Form) -> MoveTask:
    """Return the move that the form describes. Raises WrongUsage if the form is not valid."""
    where, reason = form.text("where"), form.text("reason")
    priority = form.number("number", "Priority")
    if where in ENDS:
        to: dict[str, Any] = {"to": where}
    elif where != "priority" or priority is None or priority > MOST_PRIORITY:
        raise WrongUsage(f"Priority: enter a number from 0 to {MOST_PRIORITY}.")
    else:
        to = {"priority": priority}
    bumps = Bumps(job.waitlist_id, to, reason, form.get("column", ""))
    return MoveTask(bumps, reading_of(form))


def _numbers(counts: Counts) -> Sequence[tuple[str, int]]:
    return (("Rows done", counts.rows), ("Moved", counts.moved), ("Refused", counts.refused))


def _how_to_continue(counts: Counts) -> str:
    return (
        f"{format_count(counts.moved, 'person has', 'people have')} been moved. If you continue, "
        "the other people are moved too."
    )


KIND = Kind(
    name="move",
    words={
        "title": "Move people from a file",
        "tab": "/people",
        "drop": "Drop a file of people here to move them",
        "hint": (
            "A CSV file with the column names in the first line, or JSON lines. One column "
            "must contain the customer ids. No one is moved until you have chosen a "
            "destination."
        ),
        "earlier": "Moves in this console",
        "running": "Moving",
        "again": (
            "If you drop the same file again, people who have already been moved are moved "
            "once more."
        ),
    },
    question="move_ready.html",
    ready=_ready,
    task=_task,
    numbers=_numbers,
    how_to_continue=_how_to_continue,
)
