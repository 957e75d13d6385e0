"""Shows the overview page, which lists all waitlists."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.context import Console
from waitlist_cli.console.numbers import line_of, sparkline
from waitlist_cli.errors import CliError, Refused, Unavailable
from waitlist_cli.terminal.output import format_value

ROWS = 25
AT_ONCE = 8
REFRESH_SECONDS = 10


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        params: dict[str, str | int] = {"limit": ROWS}
        if cursor := request.query_params.get("cursor"):
            params["cursor"] = cursor
        found = console.get("", **params)
        with ThreadPoolExecutor(AT_ONCE) as threads:
            rows = list(threads.map(lambda waitlist: _row(console, waitlist), found["waitlists"]))
        return console.page(
            request,
            "overview.html",
            rows=rows,
            health=_health(console),
            cursor=found["cursor"],
            is_later=bool(cursor),
            every=REFRESH_SECONDS,
        )

    return [Route("/", show)]


def _health(console: Console) -> str:
    """Return the service's health and response time, or the error if the request fails."""
    begun = time.monotonic()
    try:
        found = console.api.health()
    except CliError as error:
        return error.message
    millis = int((time.monotonic() - begun) * 1000)
    return (
        ", ".join(f"{name} {format_value(value)}" for name, value in found.items())
        + f"; {millis} ms"
    )


def _row(console: Console, waitlist: dict[str, Any]) -> dict[str, Any]:
    """Return the row for a waitlist.

    If the waitlist cannot be read, the row contains a `problem`.
    """
    path = f"/{waitlist['waitlist_id']}"
    try:
        stats = console.get(f"{path}/stats")
        points = console.get(f"{path}/stats/history", period="hour")["points"]
    except (Refused, Unavailable) as error:
        return {"waitlist": waitlist, "line": line_of(waitlist, None), "problem": error.message}
    return {
        "waitlist": waitlist,
        "line": line_of(waitlist, stats),
        "stats": stats,
        "spark": sparkline([point["waiting"] for point in points]),
        "problem": "",
    }
