"""Response bodies for segments, and for an entry's position within a segment."""

from typing import Annotated

from pydantic import Field

from waitlist_api.http.schemas.common import Count, Model, TheCursor, documented
from waitlist_api.settings.texts import ATTRIBUTE
from waitlist_shared.limits import MAX_PAGE, MAX_SEGMENT_ATTRIBUTES

SEGMENT_NAMES = f"^{ATTRIBUTE}(,{ATTRIBUTE}){{0,{MAX_SEGMENT_ATTRIBUTES - 1}}}$"

Segment = Annotated[
    dict[str, str],
    Field(
        description="The attributes that define the segment, each with one value.",
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
            description="The position within the segment: 1 plus the number of entries ahead in "
            "the same segment."
        ),
    ]
    total: Annotated[
        Count | None,
        Field(
            description="The number of waiting entries in this segment. Null if the waitlist "
            "hides its counts."
        ),
    ]
