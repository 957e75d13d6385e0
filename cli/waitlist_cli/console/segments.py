"""Shows how many people in each segment are waiting."""

from itertools import islice

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.client.paging import pages
from waitlist_cli.console.context import Console, waitlist_of

# The page shows at most this many segments. A waitlist can have far more.
MOST = 1_000
REFRESH_SECONDS = 30


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        waitlist = console.get(f"/{waitlist_id}")
        is_ready = waitlist["segments"] and waitlist["segments_state"] == "ready"
        path = f"/{waitlist_id}/segments"
        found = list(islice(pages(console.api, path, "segments"), MOST + 1)) if is_ready else []
        return console.page(
            request,
            "segments.html",
            waitlist=waitlist,
            segments=sorted(found[:MOST], key=lambda segment: -segment["waiting"]),
            most=max((segment["waiting"] for segment in found), default=1) or 1,
            has_more=len(found) > MOST,
            every=REFRESH_SECONDS,
        )

    return [Route("/lists/{waitlist}/segments", show)]
