"""Defines the console's routes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from waitlist_cli.client.api import Api
from waitlist_cli.console import (
    bulk,
    counter,
    customer_page,
    exports,
    file_moves,
    imports,
    invitations,
    messages,
    overview,
    page_preview,
    people,
    person,
    policy,
    poster,
    segments,
    serve,
    settings_page,
    undo,
    waitlist,
)
from waitlist_cli.console.context import Console
from waitlist_cli.console.decisions import UNDO_SECONDS, Decisions
from waitlist_cli.console.file_job import FileJobs
from waitlist_cli.console.problems import problem_page
from waitlist_cli.console.rendering import Pages
from waitlist_cli.errors import CliError

STATIC = Path(__file__).parent / "static"
PARTS = (
    bulk,
    counter,
    overview,
    settings_page,
    waitlist,
    policy,
    invitations,
    customer_page,
    page_preview,
    poster,
    messages,
    segments,
    serve,
    exports,
    people,
    undo,
    person,
)


@contextmanager
def console_app(
    api: Api,
    folder: Path,
    undo_seconds: float = UNDO_SECONDS,
    on_unconfirmed: Callable[[str], object] = lambda _problem: None,
) -> Iterator[ASGIApp]:
    """Yield the console's web application.

    When the context ends, all background work is stopped. The console then calls `on_unconfirmed`
    with a message for each action that the service has not confirmed. Files that the operator drops
    onto the console's pages are stored in `folder`.
    """
    pages = Pages(str(api.http.base_url).rstrip("/"))
    console = Console(api, pages, decisions=Decisions(undo_seconds))
    jobs = FileJobs(folder, api)
    routes = [route for part in PARTS for route in part.routes(console)]
    routes += [*imports.routes(console, jobs), *file_moves.routes(console, jobs)]
    static = Mount("/static", StaticFiles(directory=STATIC))
    try:
        yield Starlette(
            routes=[*routes, static],
            exception_handlers={
                CliError: partial(_problem, console),
                ClientDisconnect: _client_disconnected,
            },
        )
    finally:
        try:
            console.decisions.end()
        finally:
            # A second Ctrl-C interrupts the requests that are being sent.
            for problem in console.decisions.unconfirmed():
                on_unconfirmed(problem)
        console.searches.end()
        jobs.end()


def _problem(console: Console, request: Request, error: Exception) -> Response:
    if not isinstance(error, CliError):
        raise error
    return problem_page(console, request, error)


def _client_disconnected(_request: Request, _error: Exception) -> Response:
    """Return a response to a browser that disconnected before sending the whole request."""
    return Response(status_code=400)
