"""Request and response bodies for previewing an admission policy."""

from typing import Annotated

from pydantic import Field

from waitlist_api.http.schemas.admission import AdmissionBody
from waitlist_api.http.schemas.common import Body, Count, Model, Time, documented
from waitlist_api.http.schemas.wait import WithEstimate
from waitlist_api.waitlists.preview import MOST_INSTANTS, POSITIONS
from waitlist_shared.limits import MAX_CAPACITY


class PreviewBody(Body):
    admission: Annotated[
        AdmissionBody | None,
        Field(
            description="The admission policy to base the estimates on, in the format of the "
            "waitlist's `admission` setting. If null, the estimates assume that there is no policy "
            "and that only operators admit people."
        ),
    ]
    people: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_CAPACITY,
            description="A number of waiting people. If it is set, the response contains only the "
            "estimate for the last of these people.",
        ),
    ] = None


class PositionAnswer(WithEstimate):
    """The estimate for a customer at this position."""

    position: Count


class InstantAnswer(Model):
    at: Time
    count: Annotated[
        Count, Field(description="The number of slots that become available at this time.")
    ]


class PreviewAnswer(Model):
    waiting: Annotated[
        Count,
        Field(description="The number of entries that are waiting now."),
    ]
    estimates: Annotated[
        list[PositionAnswer],
        documented(maxItems=len(POSITIONS) + 1),
        Field(
            description="The estimates by position. Without `people`, the positions are "
            f"{', '.join(map(str, POSITIONS))} and the position of a customer who joins now. With "
            "`people`, there is only this position."
        ),
    ]
    scheduled: Annotated[
        list[InstantAnswer],
        documented(maxItems=MOST_INSTANTS),
        Field(description="The schedule's next times, earliest first."),
    ]
