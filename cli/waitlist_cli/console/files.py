"""Shows the pages for a dropped file: the choices, the progress and the refused rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from waitlist_cli.console.actions import Form, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.file_job import FileJob, FileJobs, Reading, Task
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.imports.encodings import ENCODINGS, UTF_8
from waitlist_cli.imports.run import Counts
from waitlist_cli.operations.action import Document
from waitlist_cli.terminal.output import CONTROLS
from waitlist_cli.terminal.private_files import open_private

REFRESH_SECONDS = 1
MOST_REASONS = 20
LONGEST_NAME = 120
DELIMITERS = ((",", "Comma"), (";", "Semicolon"), ("\t", "Tab"), ("|", "Bar"))


@dataclass(frozen=True)
class Kind:
    """What the console can do with a file that an operator drops on it: import the people in the
    file, or move them.
    """

    # Either `import` or `move`. The pages' URLs contain this name.
    name: str
    words: Mapping[str, str]
    # The template of the page on which the operator chooses what to do.
    question: str
    ready: Callable[[FileJob, Document, Reading], Mapping[str, Any]]
    task: Callable[[FileJob, Form], Task]
    # Returns pairs of a label and a number, which the job's page shows.
    numbers: Callable[[Counts], Sequence[tuple[str, int]]]
    how_to_continue: Callable[[Counts], str]


def file_routes(console: Console, jobs: FileJobs, kind: Kind) -> list[Route]:
    path = f"/lists/{{waitlist}}/{kind.name}"
    job_path = f"{path}/{{job}}"

    def show(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        return console.page(
            request,
            "file_drop.html",
            waitlist=console.get(f"/{waitlist_id}"),
            kind=kind,
            jobs=[job for job in jobs.for_waitlist(waitlist_id) if job.kind == kind.name],
        )

    async def receive(request: Request) -> Response:
        """Save a dropped file. A script in the page sends the file as the request body."""
        waitlist_id = waitlist_of(request)
        name = _file_name(request.query_params.get("name", ""))
        job = jobs.new(kind.name, waitlist_id, name)
        with await run_in_threadpool(_created, job) as file:
            async for part in request.stream():
                await run_in_threadpool(file.write, part)
        jobs.keep(job)
        return JSONResponse({"to": f"/lists/{waitlist_id}/{kind.name}/{job.id}"})

    def show_job(request: Request) -> Response:
        job = job_of(jobs, kind, request)
        waitlist = console.get(f"/{job.waitlist_id}")
        if job.state == "ready":
            reading = _reading(job, request)
            return console.page(
                request,
                kind.question,
                waitlist=waitlist,
                kind=kind,
                job=job,
                reading=reading,
                delimiters=DELIMITERS,
                encodings=ENCODINGS,
                **kind.ready(job, waitlist, reading),
            )
        page = console.page(
            request,
            "file_running.html",
            waitlist=waitlist,
            kind=kind,
            job=job,
            numbers=kind.numbers(job.counts),
            how_to_continue=kind.how_to_continue(job.counts),
            reasons=job.counts.reasons.copy().most_common(MOST_REASONS),
            every=REFRESH_SECONDS if job.is_active else None,
        )
        if not job.is_active:
            # The job has ended, so polling can stop. Make the browser reload the whole page.
            page.headers["HX-Refresh"] = "true"
        return page

    def start(request: Request, form: Form) -> Response:
        job = job_of(jobs, kind, request)
        if job.is_active:
            raise WrongUsage("The rows of this file are already being sent.")
        jobs.start(job, job.task or kind.task(job, form))
        return Response(headers={"HX-Redirect": request.url.path})

    def cancel(request: Request, _form: Form) -> Response:
        job_of(jobs, kind, request).cancel()
        return console.done("The job stops after the current request.")

    def download(request: Request) -> Response:
        job = job_of(jobs, kind, request)
        content = request.path_params["file"]
        found = {"refused": job.refused_path, "tokens": job.tokens_path}.get(content)
        if found is None or not found.exists():
            raise Refused("There is no such file.", "not_found", 404)
        name = f"{job.waitlist_id}-{content}{found.suffix}"
        return FileResponse(found, filename=name, media_type="application/octet-stream")

    return [
        Route(path, show),
        Route(path, receive, methods=["POST"]),
        Route(job_path, show_job),
        Route(job_path, with_form(start), methods=["POST"]),
        Route(f"{job_path}/cancel", with_form(cancel), methods=["POST"]),
        Route(f"{job_path}/{{file}}", download),
    ]


def reading_of(form: Form) -> Reading:
    """Return the delimiter and encoding from the form."""
    return Reading(form.get("delimiter", ","), form.text("encoding") or UTF_8)


def _reading(job: FileJob, request: Request) -> Reading:
    """Return a file's delimiter and encoding.

    If the operator has not chosen them, guess them from the file.
    """
    likely, query = job.likely_reading(), request.query_params
    return Reading(
        query.get("delimiter") or likely.delimiter, query.get("encoding") or likely.encoding
    )


def _created(job: FileJob) -> BinaryIO:
    """Create the job's file, which only the operator may read."""
    open_private(job.path).close()
    return job.path.open("wb")


def job_of(jobs: FileJobs, kind: Kind, request: Request) -> FileJob:
    """Return the job in the request's path. Raises Refused if the job does not exist."""
    job = jobs.get(kind.name, waitlist_of(request), request.path_params["job"])
    if job is None:
        raise Refused(
            "This console does not have this file. A console forgets its files when it ends. "
            f"Drop the file again. {kind.words['again']}",
            "not_found",
            404,
        )
    return job


def _file_name(given: str) -> str:
    name = CONTROLS.sub("", PurePosixPath(given.replace("\\", "/")).name)
    return name[-LONGEST_NAME:] or "people"
