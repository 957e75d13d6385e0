"""Requests and responses of claims, and of the operations that end a claim."""

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
    Field(
        ge=1,
        le=MAX_LEASE_SECONDS,
        description="The length of the lease in seconds. Default: the waitlist's `lease_seconds`.",
    ),
]
FORTY_HEX_DIGITS = "^[0-9a-f]{40}$"
ClaimToken = Annotated[str, Field(pattern=FORTY_HEX_DIGITS)]
To = Annotated[
    Literal["place", "back"],
    Field(
        description="`place` returns the entry to its former position. `back` moves it to the "
        "end of the queue."
    ),
]


class ClaimBody(Body):
    count: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_CLAIM,
            description="The maximum number of entries to claim. The response has fewer entries "
            "if fewer entries are waiting, if the waitlist's `max_claims` allows fewer, or if "
            "entries at the head are just leaving. Claim again to get more entries.",
        ),
    ] = 1
    lease_seconds: LeaseSeconds = None
    filter: Annotated[
        Filter | None,
        Field(
            description="Claim only entries that have all these values, in serving order. The "
            "filter needs one value for each attribute of a declared segment.",
            examples=[{"language": "Spanish", "gender": "F"}],
        ),
    ] = None
    filters: Annotated[Filters | None, AfterValidator(without_filter)] = None
    order: Annotated[
        Literal["oldest", "newest"],
        Field(description="`oldest` claims from the head of the queue, `newest` from its end."),
    ] = "oldest"
    complete: Annotated[
        bool,
        Field(
            description="Admit the claimed entries in the same call (dequeue), at most once. If "
            "the response is lost, the entries stay admitted, and a repeat with the same "
            "Idempotency-Key within a minute returns them again. If you need a stronger "
            "guarantee, claim and complete in two calls."
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
            description="How long the entry waits at its place before it can be claimed again. "
            "Meanwhile its `not_ready` has `delayed`.",
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
            description="The `parked_at` of the parking to undo. Send it so that a request that "
            "arrives late does not undo a later parking. By default the current parking is undone.",
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
    attempts: Annotated[
        Count, Field(description="How many earlier claims and offers of this entry expired.")
    ]
    customer_id: TheCustomerId | None
    profile: dict[str, Any]
    attributes: dict[str, Any]
    priority: Priority
    joined_at: Time
    filter_index: FilterIndex


LIMIT_MEANINGS = {
    "max_claims": "claims hold as many entries as the waitlist's `max_claims` allows; claim again "
    "after a claim has ended"
}
# The type has a name so that the OpenAPI document has a component for it.
ClaimLimit = TypeAliasType(
    "ClaimLimit",
    Annotated[
        str,
        Field(json_schema_extra=extensible("The setting that limits a claim.", LIMIT_MEANINGS)),
    ],
)


class ClaimsAnswer(Model):
    claims: Annotated[list[ClaimAnswer], documented(maxItems=MAX_CLAIM)]
    limit: Annotated[
        ClaimLimit | None,
        Field(
            description="The setting that limited the response to fewer entries than `count`. "
            "Null if no setting limited it."
        ),
    ]
