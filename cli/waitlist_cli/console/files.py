"""What the console does with a dropped file: a question, progress, cancel, refused rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from waitlist_cli.console.actions import Document, Form, with_form
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.file_job import FileJob, FileJobs, Reading, Task
from waitlist_cli.errors import Refused, WrongUsage
from waitlist_cli.imports.encodings import ENCODINGS, UTF_8
from waitlist_cli.imports.run import Counts
from waitlist_cli.terminal.output import CONTROLS
from waitlist_cli.terminal.private_files import open_private

REFRESH_SECONDS = 1
MOST_REASONS = 20
LONGEST_NAME = 120
DELIMITERS = ((",", "Comma"), (";", "Semicolon"), ("\t", "Tab"), ("|", "Bar"))


@dataclass(frozen=True)
class Kind:
    """One thing that the console does with files; `name` stands in its addresses.

    `ready` returns what the question of a file shows, `task` reads its form, and `numbers` labels
    the counts of a job. `words` are those of the pages.
    """

    name: str
    words: Mapping[str, str]
    question: str
    ready: Callable[[FileJob, Document, Reading], Mapping[str, Any]]
    task: Callable[[FileJob, Form], Task]
    numbers: Callable[[Counts], Sequence[tuple[str, int]]]
    going_on: Callable[[Counts], str]


def file_routes(console: Console, jobs: FileJobs, kind: Kind) -> list[Route]:
    path = f"/lists/{{waitlist}}/{kind.name}"
    one = f"{path}/{{job}}"

    def show(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        return console.page(
            request,
            "file_drop.html",
            waitlist=console.get(f"/{waitlist_id}"),
            kind=kind,
            jobs=[job for job in jobs.of(waitlist_id) if job.kind == kind.name],
        )

    async def receive(request: Request) -> Response:
        """Write the file to disk as it comes; the script of the page sends it as the body."""
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
            going_on=kind.going_on(job.counts),
            reasons=job.counts.reasons.copy().most_common(MOST_REASONS),
            every=REFRESH_SECONDS if job.is_active else None,
        )
        if not job.is_active:
            # A page that has watched the job is loaded again, and asks no more.
            page.headers["HX-Refresh"] = "true"
        return page

    def start(request: Request, form: Form) -> Response:
        job = job_of(jobs, kind, request)
        if job.is_active:
            raise WrongUsage("The rows of this file are being sent already.")
        jobs.start(job, job.task or kind.task(job, form))
        return Response(headers={"HX-Redirect": request.url.path})

    def cancel(request: Request, _form: Form) -> Response:
        job_of(jobs, kind, request).cancel()
        return console.done("It stops after the current call.")

    def download(request: Request) -> Response:
        job = job_of(jobs, kind, request)
        of_what = request.path_params["file"]
        found = {"refused": job.refused_path, "tokens": job.tokens_path}.get(of_what)
        if found is None or not found.exists():
            raise Refused("There is no such file.", "not_found", 404)
        name = f"{job.waitlist_id}-{of_what}{found.suffix}"
        return FileResponse(found, filename=name, media_type="application/octet-stream")

    return [
        Route(path, show),
        Route(path, receive, methods=["POST"]),
        Route(one, show_job),
        Route(one, with_form(start), methods=["POST"]),
        Route(f"{one}/cancel", with_form(cancel), methods=["POST"]),
        Route(f"{one}/{{file}}", download),
    ]


def reading_of(form: Form) -> Reading:
    """Return how the form of a file reads it."""
    return Reading(form.get("delimiter", ","), form.text("encoding") or UTF_8)


def _reading(job: FileJob, request: Request) -> Reading:
    """Return how the operator wants the file to be read, else how it probably is."""
    likely, query = job.likely_reading(), request.query_params
    return Reading(
        query.get("delimiter") or likely.delimiter, query.get("encoding") or likely.encoding
    )


def _created(job: FileJob) -> BinaryIO:
    """Create the file of a job, which only the operator may read."""
    open_private(job.path).close()
    return job.path.open("wb")


def job_of(jobs: FileJobs, kind: Kind, request: Request) -> FileJob:
    """Return the file of an address; raises Refused."""
    job = jobs.get(kind.name, waitlist_of(request), request.path_params["job"])
    if job is None:
        raise Refused(
            "This console knows no such file: it keeps files until it ends. Drop the file again; "
            f"{kind.words['again']}",
            "not_found",
            404,
        )
    return job


def _file_name(given: str) -> str:
    name = CONTROLS.sub("", PurePosixPath(given.replace("\\", "/")).name)
    return name[-LONGEST_NAME:] or "people"
