"""Import by dropping a file: how to read it, progress, cancel, refused rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, with_form
from waitlist_cli.console.desk import Desk, waitlist_of
from waitlist_cli.console.import_job import ImportJob, ImportJobs, Layout
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.export import COLUMNS, ENDED
from waitlist_cli.imports.columns import CUSTOMER, DROP, REJECTION_COLUMNS, WHOLE, columns_of
from waitlist_cli.output import CONTROLS
from waitlist_cli.private_files import open_private

PATH = "/lists/{waitlist}/import"
JOB = f"{PATH}/{{job}}"
REFRESH_SECONDS = 1
MOST_REASONS = 20
LONGEST_NAME = 120
# Names of columns that usually have the customer's id.
USUAL_IDS = (CUSTOMER, "customer", "id", "user_id", "email")
IMPORTED = {CUSTOMER, "priority", "joined_at", *WHOLE}
# Columns of an export, or of a file of refused rows, that say nothing about a new entry.
OF_EXPORTS = {*COLUMNS, *ENDED, *REJECTION_COLUMNS, "total", "offered_until"} - IMPORTED
TARGETS = (
    (CUSTOMER, "Customer id"),
    ("attribute", "Attribute"),
    ("profile", "Profile"),
    ("priority", "Priority"),
    ("joined_at", "Time of signup"),
    (DROP, "Leave out"),
)
DELIMITERS = ((",", "Comma"), (";", "Semicolon"), ("\t", "Tab"), ("|", "Bar"))


def routes(desk: Desk, jobs: ImportJobs) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        return desk.page(
            request,
            "import.html",
            waitlist=desk.get(f"/{waitlist_id}"),
            jobs=jobs.of(waitlist_id),
        )

    async def receive(request: Request) -> Response:
        """Write the file to disk as it comes; the script of the page sends it as the body."""
        waitlist_id = waitlist_of(request)
        job = jobs.new(waitlist_id, _file_name(request.query_params.get("name", "")))
        with await run_in_threadpool(_created, job) as file:
            async for part in request.stream():
                await run_in_threadpool(file.write, part)
        jobs.keep(job)
        return JSONResponse({"to": f"/lists/{waitlist_id}/import/{job.id}"})

    def show_job(request: Request) -> Response:
        job = _job(jobs, request)
        waitlist = desk.get(f"/{job.waitlist_id}")
        if job.state == "ready":
            delimiter = request.query_params.get("delimiter") or job.likely_delimiter()
            names, records = job.sample(delimiter)
            return desk.page(
                request,
                "import_ready.html",
                waitlist=waitlist,
                job=job,
                delimiter=delimiter,
                delimiters=DELIMITERS,
                targets=TARGETS,
                columns=_guessed(names, records, waitlist["segments"]),
            )
        page = desk.page(
            request,
            "import_running.html",
            waitlist=waitlist,
            job=job,
            reasons=job.counts.reasons.copy().most_common(MOST_REASONS),
            every=REFRESH_SECONDS if job.is_active else None,
        )
        if not job.is_active:
            # A page that has watched the import is loaded again, and asks no more.
            page.headers["HX-Refresh"] = "true"
        return page

    def start(request: Request, form: Form) -> Response:
        job = _job(jobs, request)
        if job.is_active:
            raise WrongUsage("This import is running.")
        layout = job.layout or _layout(job, form)
        jobs.start(job, layout)
        return Response(headers={"HX-Redirect": request.url.path})

    def cancel(request: Request, _form: Form) -> Response:
        _job(jobs, request).cancel()
        return desk.done("The import stops after the current call.")

    def download(request: Request) -> Response:
        job = _job(jobs, request)
        kind = request.path_params["file"]
        path = {"refused": job.refused_path, "tokens": job.tokens_path}.get(kind)
        if path is None or not path.exists():
            raise Refused("There is no such file.", "not_found", 404)
        name = f"{job.waitlist_id}-{kind}{path.suffix}"
        return FileResponse(path, filename=name, media_type="application/octet-stream")

    return [
        Route(PATH, show),
        Route(PATH, receive, methods=["POST"]),
        Route(JOB, show_job),
        Route(JOB, with_form(start), methods=["POST"]),
        Route(f"{JOB}/cancel", with_form(cancel), methods=["POST"]),
        Route(f"{JOB}/{{file}}", download),
    ]


def _created(job: ImportJob) -> BinaryIO:
    """Create the file of a job, which only the operator may read."""
    open_private(job.path).close()
    return job.path.open("wb")


def _job(jobs: ImportJobs, request: Request) -> ImportJob:
    job = jobs.get(waitlist_of(request), request.path_params["job"])
    if job is None:
        raise Refused(
            "This console knows no such import: it keeps imports until it ends. Drop the file "
            "again; customers who are on the list keep their places.",
            "not_found",
            404,
        )
    return job


def _file_name(given: str) -> str:
    name = CONTROLS.sub("", PurePosixPath(given.replace("\\", "/")).name)
    return name[-LONGEST_NAME:] or "people"


def _guessed(
    names: Sequence[str], records: Sequence[Any], segments: Sequence[Sequence[str]]
) -> list[dict[str, Any]]:
    """Return each column with what it probably is, and its first values."""
    declared = {name for segment in segments for name in segment}
    by_case = {name.casefold(): name for name in reversed(names)}
    customer = next((by_case[one] for one in USUAL_IDS if one in by_case), None)
    return [
        {
            "name": name,
            "is_whole": name in WHOLE,
            "target": _target(name, customer, declared),
            "samples": [record.fields.get(name) for record in records],
        }
        for name in names
    ]


def _target(name: str, customer: str | None, declared: set[str]) -> str:
    if name == customer:
        return CUSTOMER
    if name in declared:
        return "attribute"
    if name in ("priority", "joined_at"):
        return name
    return DROP if name in OF_EXPORTS else "profile"


def _layout(job: ImportJob, form: Form) -> Layout:
    """Return how to read the file; raises WrongUsage."""
    chosen = dict(zip(form.getlist("column"), form.getlist("target"), strict=False))
    targets = {name: target for name, target in chosen.items() if target != "whole"}
    by_target = _by_target(targets)
    if len(by_target.get(CUSTOMER, ())) != 1:
        raise WrongUsage("Choose the column of the customer ids: exactly one.")
    for target, label in (("priority", "priority"), ("joined_at", "time of signup")):
        if len(by_target.get(target, ())) > 1:
            raise WrongUsage(f"Choose at most one column for the {label}.")
    columns = columns_of(
        customer=by_target[CUSTOMER][0],
        priority=next(iter(by_target.get("priority", ())), None),
        kept_time=next(iter(by_target.get("joined_at", ())), None),
        attributes=by_target.get("attribute", ()),
        mapped=(),
        keep_others=True,
        zone=form.text("zone") or "UTC",
        time_format=form.text("time_format") or None,
        splits_values=job.form == "csv",
    )
    dropped = dict.fromkeys(by_target.get(DROP, ()), DROP)
    return Layout(
        columns=replace(columns, targets=columns.targets | dropped),
        delimiter=form.get("delimiter", ","),
        with_tokens=form.text("tokens") == "yes",
        ended=form.text("ended") or None,
    )


def _by_target(targets: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, target in targets.items():
        found.setdefault(target, []).append(name)
    return found
