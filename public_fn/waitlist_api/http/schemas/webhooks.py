"""Request and response of the replay of the webhook's dead letters."""

from typing import Annotated

from pydantic import Field

from waitlist_api.http.schemas.common import Body, Count, Model, UtcTime


class ReplayBody(Body):
    since: Annotated[
        UtcTime,
        Field(
            description="The time from which events are sent again, with a UTC offset.",
            examples=["2026-03-01T09:30:00Z"],
        ),
    ]


class ReplayAnswer(Model):
    replayed: Annotated[Count, Field(description="How many events are in the queue again.")]
    more: Annotated[
        bool,
        Field(description="Whether there may be more events. If so, send the same request again."),
    ]
