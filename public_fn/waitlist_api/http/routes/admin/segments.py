"""Operator route that counts the waiting entries in each segment."""

from msgspec import Struct

from waitlist_api.entries.segment_counts import SegmentCounts
from waitlist_api.http.operation import Answer, operator
from waitlist_api.http.request import Request
from waitlist_api.http.routes.admin.params import Cursor, Limit
from waitlist_api.http.routes.params import WaitlistId
from waitlist_api.http.schemas.segments import SegmentDepthAnswer, SegmentsAnswer


class Routes(Struct, frozen=True):
    counts: SegmentCounts
    request: Request

    @operator(
        "Count the waiting entries in each segment",
        Answer(200, "A page of segments", links="next_page"),
        problems=("rebuilding",),
    )
    def list_segments(
        self, waitlist_id: WaitlistId, cursor: Cursor = None, limit: Limit = 100
    ) -> SegmentsAnswer:
        """The counts are exact at the time of the response.

        Segments without waiting entries are left out. If the waitlist declares no segments, the
        list is empty. Segments are sorted by their attributes and values within a page, but not
        across pages.
        """
        page, following = self.counts.page(waitlist_id, cursor, limit)
        return SegmentsAnswer(
            segments=[
                SegmentDepthAnswer(segment=depth.segment, waiting=depth.waiting) for depth in page
            ],
            cursor=following,
        )
