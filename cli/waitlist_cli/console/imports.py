"""Imports a dropped file after the operator has said what each column means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.client.api import Api
from waitlist_cli.console.actions import Form, with_form
from waitlist_cli.console.context import Console
from waitlist_cli.console.file_job import SHOWN_ROWS, FileJob, FileJobs, Reading
from waitlist_cli.console.files import Kind, file_routes, job_of, reading_of
from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.cells import PARTS, is_export_column
from waitlist_cli.imports.columns import CUSTOMER, DROP, Columns, build_columns
from waitlist_cli.imports.dry_run import try_out_import
from waitlist_cli.imports.exported import FIELDS
from waitlist_cli.imports.guesses import (
    Guess,
    guess_address_column,
    guess_address_columns,
    guess_columns,
)
from waitlist_cli.imports.records import REJECTION_COLUMNS, Source, is_export
from waitlist_cli.imports.rejected_rows import RejectedRows
from waitlist_cli.imports.run import Counts, ImportRun
from waitlist_cli.imports.token_file import TokenFile
from waitlist_cli.operations.action import Document
from waitlist_cli.work.signals import Shutdown

# Exports and files of refused rows contain these columns. The import form ignores them, because a
# new entry does not need them.
IGNORED_COLUMNS = {*FIELDS, *REJECTION_COLUMNS} - {CUSTOMER, "priority", "joined_at"}
ADDRESS = "address"
ADDRESSES = {
    "email": (ADDRESS, "Email address, which identifies the person"),
    "phone": (ADDRESS, "Phone number, which identifies the person"),
}
# If customer ids identify the people on a waitlist, a file can also contain the addresses that
# messages are sent to. The operator can map columns to these fields.
MESSAGES_TO = (
    ("profile.email", "Email address for messages"),
    ("profile.phone", "Phone number for messages"),
)
TARGETS = (
    (CUSTOMER, "Customer id"),
    ("attribute", "Attribute"),
    ("profile", "Profile"),
    ("priority", "Priority"),
    ("joined_at", "Signup time"),
    (DROP, "Leave out"),
)


def routes(console: Console, jobs: FileJobs) -> list[Route]:
    def try_out(request: Request, form: Form) -> Response:
        """Show what the import would do, without importing anything."""
        job = job_of(jobs, KIND, request)
        task = _task(job, form)
        waitlist = console.get(f"/{job.waitlist_id}")
        with job.opened(task.reading) as source:
            task.check(source)
            run = try_out_import(
                console.api, job.waitlist_id, source.records(), task.columns, waitlist
            )
        is_asked = task.columns.identity is not None
        return console.page(
            request,
            "import_dry_run.html",
            run=run,
            job=job,
            waitlist=waitlist,
            done="written" if is_asked else "sent",
        )

    path = "/lists/{waitlist}/import/{job}/try"
    return [*file_routes(console, jobs, KIND), Route(path, with_form(try_out), methods=["POST"])]


@dataclass(frozen=True)
class ImportTask:
    """A task that imports the people in a file, with the options from the form."""

    columns: Columns
    reading: Reading
    with_tokens: bool
    ended: str | None
    on_list: str | None

    def check(self, source: Source) -> None:
        self.columns.check(source.columns)

    def run(self, job: FileJob, source: Source, api: Api, shutdown: Shutdown) -> bool:
        from_row, size = job.counts.done_row + 1, job.size
        append = from_row > 1
        run = ImportRun(
            api,
            job.waitlist_id,
            source,
            self.columns,
            RejectedRows(job.refused_path, source, append=append),
            shutdown,
            TokenFile(job.tokens_path, append=append) if self.with_tokens else None,
            self.ended,
            self.on_list,
            # When a stopped import continues, its counts continue from their previous values.
            job.counts,
        )
        return run.run(from_row, lambda _, bytes_read: job.reached(bytes_read / size)).is_whole


def _ready(job: FileJob, waitlist: Document, reading: Reading) -> Mapping[str, Any]:
    names, records = job.sample(reading)
    samples = [[record.fields.get(name) for record in records] for name in names]
    guess = guess_columns(names, samples)
    identity = (waitlist["identity"] or {}).get("field")
    if identity is not None:
        guess = replace(guess, customer=guess_address_column(names, samples, identity))
    declared = {name for segment in waitlist["segments"] for name in segment}
    exported, who = is_export(names), ADDRESS if identity else CUSTOMER
    addresses = {} if identity or exported else guess_address_columns(names, samples)
    return {
        "targets": (ADDRESSES[identity], *TARGETS) if identity else (*TARGETS, *MESSAGES_TO),
        "identity": identity,
        "guess": guess,
        "columns": [
            {
                "name": name,
                "whole": "" if name == guess.customer else _fixed_target(name, exported=exported),
                "target": _target(name, guess, declared, who, addresses),
                "samples": values[:SHOWN_ROWS],
            }
            for name, values in zip(names, samples, strict=True)
        ],
    }


def _fixed_target(name: str, *, exported: bool) -> str:
    """Describe the meaning of a column whose name alone determines it.

    Return "" for a column whose meaning the operator can choose.
    """
    if exported and name in FIELDS:
        return "As in the export"
    part, _, field = name.partition(".")
    if not is_export_column(name):
        return f"All of {name} (JSON)" if name in PARTS else ""
    return f"Attribute {field}" if part == "attributes" else f"Profile: {field}"


def _target(
    name: str, guess: Guess, declared: set[str], who: str, addresses: Mapping[str, str]
) -> str:
    if name == guess.customer:
        return who
    if name in addresses:
        return addresses[name]
    if (name, who) == (CUSTOMER, ADDRESS):
        return DROP
    if name in declared:
        return "attribute"
    if name == guess.priority:
        return "priority"
    if name == guess.joined_at:
        return "joined_at"
    return DROP if name in IGNORED_COLUMNS else "profile"


def _task(job: FileJob, form: Form) -> ImportTask:
    """Return the import that the form describes. Raises WrongUsage if the form is not valid."""
    chosen = dict(zip(form.getlist("column"), form.getlist("target"), strict=False))
    targets = {name: target for name, target in chosen.items() if target != "whole"}
    by_target = _by_target(targets)
    identity = form.text("identity") if form.text("identity") in ADDRESSES else None
    who = [*by_target.get(ADDRESS, ()), *by_target.get(CUSTOMER, ())]
    if len(who) != 1:
        raise WrongUsage(
            "Choose exactly one column that contains the addresses or the customer ids."
            if identity
            else "Choose exactly one column that contains the customer ids."
        )
    for target, label in (("priority", "priority"), ("joined_at", "signup time")):
        if len(by_target.get(target, ())) > 1:
            raise WrongUsage(f"Choose at most one column for the {label}.")
    reading = reading_of(form)
    addresses = {name: to for to, _ in MESSAGES_TO for name in by_target.get(to, ())}
    if identity is None:
        names, records = job.sample(reading)
        ids = [[record.fields.get(who[0]) for record in records]]
        taken = {*names, *addresses.values()} - {*who}
        # If the customer ids are addresses, also import them as the addresses that messages are
        # sent to.
        addresses |= guess_address_columns(who, ids, taken)
    columns = build_columns(
        customer=who[0],
        identity=identity if ADDRESS in by_target else None,
        priority=next(iter(by_target.get("priority", ())), None),
        kept_time=next(iter(by_target.get("joined_at", ())), None),
        attributes=by_target.get("attribute", ()),
        mapped=(),
        keep_others=True,
        zone=form.text("zone") or "UTC",
        time_format=form.text("time_format") or None,
        splits_values=job.form == "csv",
        addresses=addresses,
    )
    dropped = dict.fromkeys(by_target.get(DROP, ()), DROP)
    return ImportTask(
        columns=replace(columns, targets=columns.targets | dropped),
        reading=reading,
        with_tokens=form.text("tokens") == "yes",
        ended=form.text("ended") or None,
        on_list=form.text("on_list") or None,
    )


def _by_target(targets: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, target in targets.items():
        found.setdefault(target, []).append(name)
    return found


def _numbers(counts: Counts) -> Sequence[tuple[str, int]]:
    only_exports = (("Banned", counts.banned), ("Left out", counts.left_out))
    return (
        ("Rows done", counts.rows),
        ("Joined", counts.joined),
        ("Already on the list", counts.already),
        ("Left or admitted before", counts.ended),
        *((label, count) for label, count in only_exports if count),
        ("Refused", counts.refused),
    )


def _how_to_continue(counts: Counts) -> str:
    return (
        f"The rows up to {counts.done_row:,} are imported. If you continue, the import starts at "
        f"row {counts.done_row + 1:,}."
    )


KIND = Kind(
    name="import",
    words={
        "title": "Import",
        "tab": "/import",
        "drop": "Drop a file of people here",
        "hint": (
            "A CSV file with the column names in the first line, or JSON lines. Nothing is "
            "imported until you have checked how the file is read."
        ),
        "earlier": "Imports in this console",
        "running": "Importing",
        "again": "Customers who are already on the list keep their places.",
    },
    question="import_ready.html",
    ready=_ready,
    task=_task,
    numbers=_numbers,
    how_to_continue=_how_to_continue,
)
