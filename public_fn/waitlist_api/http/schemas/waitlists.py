"""Waitlists as operators configure them, and as they and others see them."""

from collections import Counter
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field

from waitlist_api.http.schemas.attributes import AttributeName
from waitlist_api.http.schemas.common import (
    Body,
    Count,
    ShownText,
    TheCursor,
    TheWaitlistId,
    Time,
    looks,
)
from waitlist_api.records.waitlists import Rejoin
from waitlist_shared.limits import (
    MAX_ATTEMPTS,
    MAX_CAPACITY,
    MAX_COMBINATIONS,
    MAX_LEASE_SECONDS,
    MAX_PAGE,
    MAX_SEGMENT_ATTRIBUTES,
    MAX_SEGMENTS,
)

MAX_RETENTION_DAYS = 3650


def _canonical(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("each attribute may be named once in a segment")
    return sorted(names)


def _distinct(segments: list[list[str]]) -> list[list[str]]:
    """Return segments in their order: another one declares the same."""
    twice = [names for names, count in Counter(map(tuple, segments)).items() if count > 1]
    if twice:
        raise ValueError(f"declared twice: {', '.join('+'.join(names) for names in twice)}")
    return sorted(segments)


SegmentNames = Annotated[
    list[AttributeName],
    Field(
        min_length=1,
        max_length=MAX_SEGMENT_ATTRIBUTES,
        json_schema_extra={"uniqueItems": True},
    ),
    AfterValidator(_canonical),
]


class WaitlistBody(Body):
    """The whole configuration; what is left out has its default."""

    name: Annotated[ShownText, Field(min_length=1, max_length=200)]
    open: Annotated[bool, Field(description="Whether people can sign up.")] = True
    paused: Annotated[bool, Field(description="Whether nobody is admitted for now.")] = False
    capacity: Annotated[
        int | None, Field(ge=1, le=MAX_CAPACITY, description="How many may wait; null: any number.")
    ] = None
    rejoin: Annotated[
        Rejoin,
        Field(
            description="Which customers may sign up again, for a new place at the end: those who "
            "left (`after_leaving`), those who were admitted, too (`always`), or none (`never`). "
            "Others are answered `already_admitted` or `already_left`."
        ),
    ] = "after_leaving"
    lease_seconds: Annotated[
        int, Field(ge=1, le=MAX_LEASE_SECONDS, description="How long a claim lasts by default.")
    ] = 300
    max_attempts: Annotated[
        int, Field(ge=1, le=MAX_ATTEMPTS, description="Expired holds after which one is parked.")
    ] = 5
    hide_counts: Annotated[
        bool, Field(description="Whether customers are not told how many wait.")
    ] = False
    retention_days: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_RETENTION_DAYS,
            description="How long the records of those who left or were admitted are kept, with "
            "their history; null: for ever. Holds for whoever leaves or is admitted from now on.",
        ),
    ] = None
    segments: Annotated[
        list[SegmentNames],
        Field(
            default_factory=list,
            max_length=MAX_SEGMENTS,
            json_schema_extra={"uniqueItems": True},
            description="By which attributes, together, claims can filter. An entry is in one "
            "segment for each combination of its values of these attributes, "
            f"{MAX_COMBINATIONS} at the most. A change of them is worked in while people wait: "
            "see `segments_state`.",
            examples=[[["gender", "language"], ["language"]]],
        ),
        AfterValidator(_distinct),
    ]

    def settings(self) -> dict[str, Any]:
        """Return the fields as they are recorded."""
        return {**self.model_dump(), "segments": tuple(map(tuple, self.segments))}


class WaitlistAnswer(BaseModel):
    waitlist_id: TheWaitlistId
    name: str
    open: bool
    total: Annotated[Count | None, Field(description="How many wait; null if hidden.")]


class RebuildAnswer(BaseModel):
    done: Annotated[Count, Field(description="How many have their place again.")]
    total: Annotated[
        Count,
        Field(
            description="How many there are, by the counts of the last minute's watch; never less "
            "than `done`, with which it grows where they are more or nothing was counted. Where "
            "the two are the same, what changed meanwhile is looked at again."
        ),
    ]


class WaitlistConfigAnswer(BaseModel):
    waitlist_id: TheWaitlistId
    name: str
    open: bool
    paused: bool
    capacity: int | None
    rejoin: Rejoin
    lease_seconds: int
    max_attempts: int
    hide_counts: bool
    retention_days: int | None
    segments: Annotated[
        list[list[str]], Field(description="As declared; names and segments are sorted.")
    ]
    segments_state: Annotated[
        Literal["ready", "building"],
        Field(
            description="While changed segments are being built, whatever asks for a segment is "
            "answered `503 rebuilding`."
        ),
    ]
    rebuild: Annotated[
        RebuildAnswer | None,
        Field(
            description="How far the rebuild of a lost order has come; null while none is under "
            "way. Until it ends, whatever needs the order is answered `503 rebuilding`."
        ),
    ]
    version: Count
    created_at: Time
    updated_at: Time


class WaitlistsAnswer(BaseModel):
    waitlists: Annotated[list[WaitlistConfigAnswer], looks(maxItems=MAX_PAGE)]
    cursor: TheCursor | None


class StatsAnswer(BaseModel):
    waiting: Count
    signed_up: Annotated[
        Count,
        Field(
            description="All signups since the list was made, as `left` and `admitted` count all "
            "leaves and admissions. After Redis was lost the three may lack what came in the "
            "minute before; the numbers of those who wait, are offered or parked never do."
        ),
    ]
    left: Count
    admitted: Count
    offered: Count
    parked: Count
    oldest_waiting_seconds: Annotated[
        Count | None, Field(description="How long ago the person at the head of the line joined.")
    ]
    oldest_parked_seconds: Count | None
    oldest_joined_at: Annotated[
        Time | None, Field(description="When the person at the head of the line joined.")
    ]
