"""Request and response bodies for the operation that resends the webhook's dead letters."""

from typing import Annotated

from pydantic import Field

from waitlist_api.http.schemas.common import Body, Count, Model, UtcTime


class ReplayBody(Body):
    since: Annotated[
        UtcTime,
        Field(
            description="Resend the events that happened at this time or later. The time needs a "
            "UTC offset.",
            examples=["2026-03-01T09:30:00Z"],
        ),
    ]


class ReplayAnswer(Model):
    replayed: Annotated[
        Count, Field(description="How many events this request put back into the webhook's queue.")
    ]
    more: Annotated[
        bool,
        Field(
            description="Whether there may be more dead letters to resend. If true, send the same "
            "request again."
        ),
    ]
