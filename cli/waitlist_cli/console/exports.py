"""Lets the operator download the people on a waitlist as CSV or JSON lines."""

from collections.abc import Iterator
from itertools import chain, islice

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from waitlist_cli.client.paging import pages
from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.console.people import BY_TIME, STATUSES, waiting_filter
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.export import ALL, Person, Sheet, everyone, sheet_of, texts_of
from waitlist_cli.operations.settings import zone_of
from waitlist_cli.terminal.times import since_of

TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}


def routes(console: Console) -> list[Route]:
    def export(request: Request) -> Response:
        waitlist_id, query = waitlist_of(request), request.query_params
        form, status = query.get("form", "csv"), query.get("status", "waiting")
        if form not in TYPES or status not in (*STATUSES, ALL):
            raise WrongUsage("Choose a format, csv or jsonl, and a status.")
        since = query.get("since", "").strip() or None
        zone = zone_of(console.api, waitlist_id)
        which = since_of(since, zone=zone) if status in BY_TIME else {}
        which |= waiting_filter(query, status)

        def people_of(chosen: str) -> Iterator[Person]:
            path = f"/{waitlist_id}/entries"
            return pages(console.api, path, "entries", None, status=chosen, **which)

        people = everyone(people_of) if status == ALL else people_of(status)
        sheet = sheet_of(console.get(f"/{waitlist_id}")) if form == "csv" else Sheet()
        # Fetch the first person before the response begins. If this request fails, the browser
        # shows an error page instead of saving a broken file.
        first = list(islice(people, 1))
        name = f"{waitlist_id}-{status}.{form}"
        texts = texts_of(chain(first, people), form, sheet)
        return StreamingResponse(
            (text.encode() for text in texts),
            media_type=TYPES[form],
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    return [Route("/lists/{waitlist}/export", export)]
