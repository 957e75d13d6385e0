"""Shows a waitlist's invitations, with the number of people at each stage."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from waitlist_cli.console.context import Console, waitlist_of
from waitlist_cli.operations.invite import FUNNEL, INVITE, PATH

# The maximum number of invitations on the page. The limit is low because the service has to count
# the people who received each invitation.
MOST = 20
REFRESH_SECONDS = 10


def routes(console: Console) -> list[Route]:
    def show(request: Request) -> Response:
        waitlist_id = waitlist_of(request)
        page = console.get(PATH.format(waitlist_id=waitlist_id), limit=MOST)
        return console.page(
            request,
            "invitations.html",
            waitlist=console.get(f"/{waitlist_id}"),
            invitations=page["invitations"],
            has_more=page["cursor"] is not None,
            stages=FUNNEL,
            action=INVITE,
            every=REFRESH_SECONDS,
        )

    return [Route("/lists/{waitlist}/invitations", show)]
