"""Operator route that counts the waiting entries in each segment."""

from aws_lambda_powertools.event_handler.router import APIGatewayHttpRouter

from waitlist_api.entries.segment_counts import SegmentCounts
from waitlist_api.http.routes.params import Cursor, Limit, WaitlistId
from waitlist_api.http.schemas.segments import SegmentDepthAnswer, SegmentsAnswer


def admin_segment_routes(counts: SegmentCounts) -> APIGatewayHttpRouter:
    router = APIGatewayHttpRouter()

    @router.get("/v1/admin/waitlists/<waitlist_id>/segments", operation_id="listSegments")
    def list_segments(
        waitlist_id: WaitlistId, cursor: Cursor = None, limit: Limit = 100
    ) -> SegmentsAnswer:
        page, following = counts.page(waitlist_id, cursor, limit)
        return SegmentsAnswer(
            segments=[
                SegmentDepthAnswer(segment=depth.segment, waiting=depth.waiting) for depth in page
            ],
            cursor=following,
        )

    return router
