"""Segments, their numbers of waiting entries, and positions within a segment."""

from typing import Annotated

from pydantic import Field

from waitlist_api.http.schemas.attributes import NAME
from waitlist_api.http.schemas.common import Count, Model, TheCursor, documented
from waitlist_shared.limits import MAX_PAGE, MAX_SEGMENT_ATTRIBUTES

SEGMENT_NAMES = f"^{NAME}(,{NAME}){{0,{MAX_SEGMENT_ATTRIBUTES - 1}}}$"

Segment = Annotated[
    dict[str, str],
    Field(
        description="A value for each attribute of a declared segment.",
        examples=[{"gender": "F", "language": "Spanish"}],
    ),
]


class SegmentDepthAnswer(Model):
    segment: Segment
    waiting: Count


class SegmentsAnswer(Model):
    segments: Annotated[list[SegmentDepthAnswer], documented(maxItems=MAX_PAGE)]
    cursor: TheCursor | None


class SegmentPlaceAnswer(Model):
    segment: Segment
    position: Annotated[
        int,
        documented(minimum=1),
        Field(
            description="The position within the segment, which is 1 + the number of entries of "
            "the segment that are ahead."
        ),
    ]
    total: Annotated[
        Count | None,
        Field(
            description="How many entries of this segment are waiting. Null if "
            "the waitlist hides its counts."
        ),
    ]
