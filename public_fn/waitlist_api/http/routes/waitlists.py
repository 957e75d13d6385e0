"""The public view of a waitlist."""

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.waitlists import WaitlistAnswer
from waitlist_api.records.waitlist_cache import WaitlistCache
from waitlist_api.waitlists.configure import Waitlists


def public_waitlist_routes(
    waitlist_cache: WaitlistCache, waitlists: Waitlists
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
            total=None if settings.hide_counts else stats.waiting,
        )

    return router
