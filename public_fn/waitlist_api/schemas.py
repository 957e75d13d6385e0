"""What the HTTP API takes and gives; every field has a limit, unknown fields are refused."""

import json
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, model_validator

from waitlist_shared import ids
from waitlist_shared.limits import (
    MAX_ATTEMPTS,
    MAX_CAPACITY,
    MAX_CLAIM,
    MAX_LEASE_SECONDS,
    MAX_PLACES,
    MAX_PRIORITY,
)

MAX_PROFILE_BYTES = 8 * 1024
MAX_ATTRIBUTES = 16

# Without control characters: values stand in logs, tables and index keys.
AttributeName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
AttributeValue = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]*$")]
AttributeValues = Annotated[list[AttributeValue], Field(min_length=1, max_length=16)]


def _within_limit(profile: dict[str, JsonValue]) -> dict[str, JsonValue]:
    size = len(json.dumps(profile, ensure_ascii=False).encode())
    if size > MAX_PROFILE_BYTES:
        raise ValueError(f"a profile may have {MAX_PROFILE_BYTES} bytes as JSON, not {size}")
    return profile


Profile = Annotated[dict[str, JsonValue], AfterValidator(_within_limit)]
Attributes = Annotated[
    dict[AttributeName, AttributeValue | AttributeValues], Field(max_length=MAX_ATTRIBUTES)
]


class Body(BaseModel):
    """A request body: exact types, no unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SignupBody(Body):
    customer_id: Annotated[
        str,
        Field(
            pattern=f"^{ids.CUSTOMER_ID}$",
            description="The customer's id at the client: opaque, visible ASCII characters.",
            examples=["customer-0001"],
        ),
    ]
    profile: Annotated[
        Profile,
        Field(default_factory=dict, description="What operators should know, 8 KB at the most."),
    ]
    attributes: Annotated[
        Attributes,
        Field(
            default_factory=dict,
            description="Names with one or several values each, for claims by filter.",
            examples=[{"language": ["English", "Spanish"]}],
        ),
    ]


class WaitlistBody(Body):
    """The whole configuration; what is left out has its default."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    open: Annotated[bool, Field(description="Whether people can sign up.")] = True
    paused: Annotated[bool, Field(description="Whether nobody is admitted for now.")] = False
    capacity: Annotated[
        int | None, Field(ge=1, le=MAX_CAPACITY, description="How many may wait; null: any number.")
    ] = None
    allow_rejoin: Annotated[
        bool, Field(description="Whether those who left may sign up again, at the end.")
    ] = True
    lease_seconds: Annotated[
        int, Field(ge=1, le=MAX_LEASE_SECONDS, description="How long a claim lasts by default.")
    ] = 300
    max_attempts: Annotated[
        int, Field(ge=1, le=MAX_ATTEMPTS, description="Expired holds after which one is parked.")
    ] = 5
    hide_counts: Annotated[
        bool, Field(description="Whether customers are not told how many wait.")
    ] = False


class BumpBody(Body):
    """Where to move an entry: exactly one of `priority`, `places` and `to`."""

    priority: Annotated[
        int | None,
        Field(ge=0, le=MAX_PRIORITY, description="Higher is served first; keeps the ticket."),
    ] = None
    places: Annotated[
        int | None,
        Field(ge=1, le=MAX_PLACES, description="How far ahead; needs an Idempotency-Key."),
    ] = None
    to: Annotated[Literal["front", "back"] | None, Field(description="An end of the line.")] = None
    reason: Annotated[str, Field(max_length=500, description="Kept in the history.")] = ""

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if sum(value is not None for value in (self.priority, self.places, self.to)) != 1:
            raise ValueError("give exactly one of priority, places and to")
        return self


LeaseSeconds = Annotated[
    int | None,
    Field(ge=1, le=MAX_LEASE_SECONDS, description="How long the hold lasts; the list's if absent."),
]
ClaimToken = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
Reason = Annotated[str, Field(max_length=500, description="Kept in the history.")]
To = Annotated[
    Literal["place", "back"], Field(description="The old place, or the end of the line.")
]


class ClaimBody(Body):
    count: Annotated[int, Field(ge=1, le=MAX_CLAIM)] = 1
    lease_seconds: LeaseSeconds = None
    order: Annotated[
        Literal["oldest", "newest"], Field(description="From the head, or from the tail.")
    ] = "oldest"
    complete: Annotated[
        bool,
        Field(
            description="Admit at once, in this call (dequeue): at most once. If the answer is "
            "lost they are admitted all the same: with an Idempotency-Key a repeat within a minute "
            "names them again; where that is not enough, claim and complete."
        ),
    ] = False


class CompleteBody(Body):
    claim_token: ClaimToken
    reason: Reason = ""


class ReleaseBody(CompleteBody):
    to: To = "place"


class ExtendBody(Body):
    claim_token: ClaimToken
    lease_seconds: LeaseSeconds = None


class ParkBody(CompleteBody):
    pass


class RedriveBody(Body):
    to: To = "place"
    reason: Reason = ""


class RemoveBody(Body):
    reason: Reason = ""


class EntryAnswer(BaseModel):
    entry_id: str
    status: str
    position: Annotated[
        int | None, Field(description="1 + the number of people ahead; null if not waiting.")
    ]
    total: Annotated[int | None, Field(description="How many wait; null if hidden or unknown.")]
    priority: int
    joined_at: str | None


class SignupAnswer(EntryAnswer):
    entry_token: Annotated[
        str, Field(description="Send it as Authorization: Bearer to see and to leave the entry.")
    ]


class HeldAnswer(EntryAnswer):
    claimed_until: str


class ClaimAnswer(BaseModel):
    entry_id: str
    status: str
    claim_token: str
    claimed_until: str
    attempts: Annotated[int, Field(description="Holds of this person that expired before.")]
    customer_id: str | None
    profile: dict[str, Any]
    attributes: dict[str, Any]
    priority: int
    joined_at: str


class ClaimsAnswer(BaseModel):
    claims: list[ClaimAnswer]


class WaitlistAnswer(BaseModel):
    waitlist_id: str
    name: str
    open: bool
    total: Annotated[int | None, Field(description="How many wait; null if hidden.")]


class WaitlistConfigAnswer(BaseModel):
    waitlist_id: str
    name: str
    open: bool
    paused: bool
    capacity: int | None
    allow_rejoin: bool
    lease_seconds: int
    max_attempts: int
    hide_counts: bool
    version: int
    created_at: str
    updated_at: str


class WaitlistsAnswer(BaseModel):
    waitlists: list[WaitlistConfigAnswer]
    cursor: str | None


class HistoryAnswer(BaseModel):
    event: str
    at: str
    by: str
    reason: str
    detail: dict[str, Any]


class AdminEntryAnswer(EntryAnswer):
    attempts: int
    claimed_until: Annotated[str | None, Field(description="When the hold of an offer ends.")]
    parked_at: str | None
    park_reason: str | None
    customer_id: str | None
    profile: dict[str, Any]
    attributes: dict[str, Any]


class AdminEntryWithHistoryAnswer(AdminEntryAnswer):
    history: list[HistoryAnswer]


class EntriesAnswer(BaseModel):
    entries: list[AdminEntryAnswer]
    cursor: str | None


class StatsAnswer(BaseModel):
    waiting: int
    signed_up: int
    left: int
    admitted: int
    offered: int
    parked: int
    oldest_waiting_seconds: Annotated[
        int | None, Field(description="How long ago the person at the head of the line joined.")
    ]
    oldest_parked_seconds: int | None
    oldest_joined_at: Annotated[
        str | None, Field(description="When the person at the head of the line joined.")
    ]


class HealthAnswer(BaseModel):
    status: Literal["ok", "degraded"]
    queue: Literal["ok", "unavailable"]
    record: Literal["ok", "unavailable"]


class FieldProblem(BaseModel):
    field: str
    message: str


class Problem(BaseModel):
    """RFC 9457 problem details; clients go by `code`."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    errors: list[FieldProblem] = []


PathWaitlistId = f"^{ids.WAITLIST_ID}$"
PathEntryId = f"^{ids.ENTRY_ID}$"
