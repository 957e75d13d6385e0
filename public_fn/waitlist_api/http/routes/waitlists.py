"""The public view of a waitlist."""

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.clock import NowMillis
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.wait import estimate_fields
from waitlist_api.http.schemas.waitlists import WaitlistAnswer
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.waitlists.configure import Waitlists
from waitlist_api.waitlists.line import line_of, opens_at, wait_of_next


def public_waitlist_routes(
    waitlist_cache: WaitlistCache, waitlists: Waitlists, now_millis: NowMillis
) -> APIGatewayHttpRouter:
    """Return the route that shows a waitlist without credentials."""
    router = APIGatewayHttpRouter()

    @router.get("/v1/waitlists/<waitlist_id>", operation_id="getWaitlist")
    def get_waitlist(waitlist_id: WaitlistId) -> WaitlistAnswer:
        settings = waitlist_cache.look_up(waitlist_id).settings
        stats = waitlists.stats(waitlist_id)
        return WaitlistAnswer(
            waitlist_id=waitlist_id,
            name=settings.name,
            open=settings.open,
            line=line_of(settings, stats),
            opens_at=opens_at(settings, now_millis()),
            **estimate_fields(wait_of_next(settings, stats, now_millis())),
            total=None if settings.hide_counts else stats.waiting,
        )

    return router
