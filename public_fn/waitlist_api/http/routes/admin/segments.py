"""What operators see of segments: how many wait in each."""

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.http.openapi import links
from waitlist_api.http.openapi.responses import SIGV4, answers
from waitlist_api.http.routes.params import Cursor, Limit, WaitlistId
from waitlist_api.http.schemas.segments import SegmentDepthAnswer, SegmentsAnswer
from waitlist_api.segments.depths import SegmentDepths


def admin_segment_routes(depths: SegmentDepths) -> APIGatewayHttpRouter:
    """Return the operators' route of segments."""
    router = APIGatewayHttpRouter()

    @router.get(
        "/v1/admin/waitlists/<waitlist_id>/segments",
        summary="How many wait in each segment",
        description="Exact at this moment. Segments in which nobody waits are not listed. Within a "
        "page they are sorted by their attributes and values; the pages follow no such order. "
        "Empty for a waitlist that declares no segments.",
        tags=["operator"],
        operation_id="listSegments",
        security=SIGV4,
        responses=answers(
            200,
            "A page of segments",
            "unauthorized",
            "waitlist_not_found",
            "rebuilding",
            "record_unavailable",
            links=links.next_page("listSegments", links.HERE),
        ),
    )
    def list_segments(
        waitlist_id: WaitlistId, cursor: Cursor = None, limit: Limit = 100
    ) -> SegmentsAnswer:
        page, following = depths.page(waitlist_id, cursor, limit)
        return SegmentsAnswer(
            segments=[SegmentDepthAnswer(segment=one.segment, waiting=one.waiting) for one in page],
            cursor=following,
        )

    return router
