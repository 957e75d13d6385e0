"""Claims: requests, claimed entries, and the ends of holds."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from typing_extensions import TypeAliasType

from waitlist_api.http.schemas.attributes import Filter, FilterIndex, Filters, without_filter
from waitlist_api.http.schemas.common import (
    Body,
    Count,
    Model,
    Reason,
    TheCustomerId,
    TheEntryId,
    Time,
    UtcTime,
    documented,
    extensible,
)
from waitlist_api.http.schemas.entries import EntryAnswer, EntryStatus, Priority
from waitlist_shared.limits import MAX_CLAIM, MAX_DELAY_SECONDS, MAX_LEASE_SECONDS

LeaseSeconds = Annotated[
    int | None,
    Field(ge=1, le=MAX_LEASE_SECONDS, description="Length of the lease; default: the waitlist's."),
]
FORTY_HEX_DIGITS = "^[0-9a-f]{40}$"
ClaimToken = Annotated[str, Field(pattern=FORTY_HEX_DIGITS)]
To = Annotated[
    Literal["place", "back"],
    Field(description="`place`: the former position. `back`: the end of the queue."),
]


class ClaimBody(Body):
    count: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_CLAIM,
            description="The largest number of entries to claim. The answer has fewer if fewer "
            "wait, if the waitlist's `max_claims` allows fewer, or if entries at the head are "
            "leaving at this moment. Claim again for more.",
        ),
    ] = 1
    lease_seconds: LeaseSeconds = None
    filter: Annotated[
        Filter | None,
        Field(
            description="Claim only entries that have all these values, in serving order: one "
            "value for each attribute of a declared segment.",
            examples=[{"language": "Spanish", "gender": "F"}],
        ),
    ] = None
    filters: Annotated[Filters | None, AfterValidator(without_filter)] = None
    order: Annotated[
        Literal["oldest", "newest"],
        Field(description="Claim from the head of the queue, or from its end."),
    ] = "oldest"
    complete: Annotated[
        bool,
        Field(
            description="Admit the entries in this call (dequeue), at most once. If the answer is "
            "lost they stay admitted: a repeat with the same Idempotency-Key within a minute "
            "returns them again. If that is not enough, claim and complete in two calls."
        ),
    ] = False


class CompleteBody(Body):
    claim_token: ClaimToken
    reason: Reason = ""


class ReleaseBody(CompleteBody):
    to: To = "place"
    delay_seconds: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_DELAY_SECONDS,
            description="For so long the entry waits at its place and is passed over: its "
            "`not_ready` has `delayed`.",
        ),
    ] = 0


class ExtendBody(Body):
    claim_token: ClaimToken
    lease_seconds: LeaseSeconds = None


class ParkBody(CompleteBody):
    pass


class RedriveBody(Body):
    to: To = "place"
    reason: Reason = ""
    parked_at: Annotated[
        UtcTime | None,
        Field(
            description="`parked_at` of the parking that is undone: send it, so that a request "
            "that arrives late does not undo a later parking. Default: the parking that the entry "
            "has.",
            examples=["2026-12-01T09:10:00.000Z"],
        ),
    ] = None


class HeldAnswer(EntryAnswer):
    claimed_until: Time


class ClaimAnswer(Model):
    entry_id: TheEntryId
    status: EntryStatus
    claim_token: Annotated[str, documented(pattern=FORTY_HEX_DIGITS)]
    claimed_until: Time
    attempts: Annotated[Count, Field(description="How many earlier holds of this entry expired.")]
    customer_id: TheCustomerId | None
    profile: dict[str, Any]
    attributes: dict[str, Any]
    priority: Priority
    joined_at: Time
    filter_index: FilterIndex


LIMIT_MEANINGS = {
    "max_claims": "claims hold as many entries as the waitlist's `max_claims` allows; claim again "
    "when one of them has ended"
}
# A named type, so that the OpenAPI document has a component for it.
ClaimLimit = TypeAliasType(
    "ClaimLimit",
    Annotated[
        str,
        Field(json_schema_extra=extensible("What limits a claim.", LIMIT_MEANINGS)),
    ],
)


class ClaimsAnswer(Model):
    claims: Annotated[list[ClaimAnswer], documented(maxItems=MAX_CLAIM)]
    limit: Annotated[
        ClaimLimit | None,
        Field(description="Why there are fewer entries than `count`, if it is a setting."),
    ]
