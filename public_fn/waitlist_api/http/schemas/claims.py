"""Claims: who is wanted, who is given, and what claimers say of those they hold."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from waitlist_api.http.schemas.attributes import Filter
from waitlist_api.http.schemas.common import (
    Body,
    Count,
    Reason,
    TheCustomerId,
    TheEntryId,
    Time,
    looks,
)
from waitlist_api.http.schemas.entries import EntryAnswer, EntryStatus, Priority
from waitlist_shared.limits import MAX_CLAIM, MAX_LEASE_SECONDS

LeaseSeconds = Annotated[
    int | None,
    Field(ge=1, le=MAX_LEASE_SECONDS, description="How long the hold lasts; the list's if absent."),
]
FORTY_HEX_DIGITS = "^[0-9a-f]{40}$"
ClaimToken = Annotated[str, Field(pattern=FORTY_HEX_DIGITS)]
To = Annotated[
    Literal["place", "back"], Field(description="The old place, or the end of the line.")
]


class ClaimBody(Body):
    count: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_CLAIM,
            description="Hold up to so many: fewer where fewer wait, or where some of those at the "
            "head are leaving at this moment. Claim again for more.",
        ),
    ] = 1
    lease_seconds: LeaseSeconds = None
    filter: Annotated[
        Filter | None,
        Field(
            description="Only those who have all these values, in the order of the whole line: "
            "one value for each attribute of a segment that the waitlist declares.",
            examples=[{"language": "Spanish", "gender": "F"}],
        ),
    ] = None
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


class HeldAnswer(EntryAnswer):
    claimed_until: Time


class ClaimAnswer(BaseModel):
    entry_id: TheEntryId
    status: EntryStatus
    claim_token: Annotated[str, looks(pattern=FORTY_HEX_DIGITS)]
    claimed_until: Time
    attempts: Annotated[Count, Field(description="Holds of this person that expired before.")]
    customer_id: TheCustomerId | None
    profile: dict[str, Any]
    attributes: dict[str, Any]
    priority: Priority
    joined_at: Time


class ClaimsAnswer(BaseModel):
    claims: Annotated[list[ClaimAnswer], looks(maxItems=MAX_CLAIM)]
