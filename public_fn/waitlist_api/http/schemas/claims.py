"""Request and response bodies of claims, and of the operations that end a claim."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from typing_extensions import TypeAliasType

from waitlist_api.http.schemas.attributes import Filter, FilterIndex, Filters, without_filter
from waitlist_api.http.schemas.call import CallAnswer, CallBody, CallTo, WithCallNumber
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
        description="The length of the lease in seconds. The default is the waitlist's "
        "`lease_seconds`.",
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
            description="The maximum number of entries to claim. Fewer entries are claimed if "
            "fewer are waiting, or if the waitlist's `max_claims` is reached. The response leaves "
            "out entries whose customers leave during the request. To claim other entries instead, "
            "send a new request.",
        ),
    ] = 1
    lease_seconds: LeaseSeconds = None
    filter: Annotated[
        Filter | None,
        Field(
            description="Claim only entries with all these attribute values. The filter must "
            "contain one value for each attribute of a declared segment. The entries are claimed "
            "in serving order.",
            examples=[{"language": "Spanish", "gender": "F"}],
        ),
    ] = None
    filters: Annotated[Filters | None, AfterValidator(without_filter)] = None
    order: Annotated[
        Literal["oldest", "newest"],
        Field(
            description="`oldest` claims entries from the head of the queue, and `newest` from "
            "the end of the queue."
        ),
    ] = "oldest"
    complete: Annotated[
        bool,
        Field(
            description="Whether to admit the claimed entries in the same request. If you lose "
            "the response, repeat the request with the same Idempotency-Key. The service "
            "remembers the claims of admitted entries for only one minute, and later responses "
            "leave them out. If you must know every admitted entry, send a `claim` request first, "
            "and then a `complete` request for each claim."
        ),
    ] = False
    call: Annotated[
        CallBody | None,
        Field(
            description="Call the customers to a place. Until the claim ends, the customers' "
            'pages show, for example, "Come to Room 2". A `called` event is published. Not '
            "allowed with `complete`."
        ),
    ] = None

    @model_validator(mode="after")
    def _call_or_complete(self) -> Self:
        if self.call is not None and self.complete:
            raise ValueError("must not have both call and complete")
        return self


class ClaimOneBody(Body):
    lease_seconds: LeaseSeconds = None
    call: Annotated[
        CallBody | None,
        Field(
            description="Call the customer to a place. Until the claim ends, the customer's page "
            'shows, for example, "Come to Room 2". A `called` event is published.'
        ),
    ] = None
    reason: Reason = ""


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
            description="How many seconds must pass before the entry can be claimed again. During "
            "this delay, the entry keeps its position but is not ready, and its `not_ready` list "
            "contains the reason `delayed`.",
        ),
    ] = 0


class ExtendBody(Body):
    claim_token: ClaimToken
    lease_seconds: LeaseSeconds = None


class ParkBody(CompleteBody):
    pass


class CallAgainBody(Body):
    claim_token: ClaimToken
    to: CallTo


class RedriveBody(Body):
    to: To = "place"
    reason: Reason = ""
    parked_at: Annotated[
        UtcTime | None,
        Field(
            description="Send the `parked_at` that you last read for this entry. If the entry "
            "has been parked again since then, for example because your request was delayed, the "
            "request changes nothing.",
            examples=["2026-12-01T09:10:00.000Z"],
        ),
    ] = None


class HeldAnswer(EntryAnswer):
    claimed_until: Time


class CalledAnswer(EntryAnswer, WithCallNumber):
    call: Annotated[
        CallAnswer | None,
        Field(
            description="The most recent call to the customer during this claim. Null if the claim "
            "ended during the request."
        ),
    ]


class ClaimAnswer(WithCallNumber):
    entry_id: TheEntryId
    status: EntryStatus
    claim_token: Annotated[str, documented(pattern=FORTY_HEX_DIGITS)]
    claimed_until: Time
    attempts: Annotated[
        Count, Field(description="How many of this entry's earlier claims and offers have expired.")
    ]
    customer_id: TheCustomerId | None
    profile: dict[str, Any]
    attributes: dict[str, Any]
    priority: Priority
    joined_at: Time
    filter_index: FilterIndex
    call: Annotated[
        CallAnswer | None,
        Field(
            description="Where the customer has been called to. Null if nobody has called the "
            "customer."
        ),
    ] = None


LIMIT_MEANINGS = {
    "max_claims": "the number of claimed entries has reached the waitlist's `max_claims`, so claim "
    "again after a claim has ended"
}
# Only named types become components of the OpenAPI document, so give this type a name.
ClaimLimit = TypeAliasType(
    "ClaimLimit",
    Annotated[
        str,
        Field(
            json_schema_extra=extensible(
                "The setting that limited how many entries were claimed.", LIMIT_MEANINGS
            )
        ),
    ],
)


class ClaimsAnswer(Model):
    claims: Annotated[list[ClaimAnswer], documented(maxItems=MAX_CLAIM)]
    limit: Annotated[
        ClaimLimit | None,
        Field(
            description="The waitlist setting that limited how many entries were claimed. Null if "
            "no setting did."
        ),
    ]
