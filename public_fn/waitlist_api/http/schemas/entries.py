"""The parts of response bodies that describe an entry."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypeAliasType

from waitlist_api.auth.credentials import TOKEN
from waitlist_api.http.polling import LONGEST_SECONDS
from waitlist_api.http.schemas.call import CallAnswer, WithCallNumber
from waitlist_api.http.schemas.common import (
    Count,
    Model,
    Rank,
    TheEntryId,
    Time,
    documented,
    extensible,
)
from waitlist_api.http.schemas.wait import WithEstimate
from waitlist_api.records.entry import Status
from waitlist_api.records.facets import Facet
from waitlist_shared.limits import MAX_NOT_READY_REASONS, MAX_PRIORITY

Priority = Annotated[int, documented(minimum=0, maximum=MAX_PRIORITY)]
Position = Annotated[int, documented(minimum=1)]
STATUS_MEANINGS: dict[Status, str] = {
    "joining": "the signup is in progress, and the entry has no position yet",
    "waiting": "the entry is in the queue",
    "offered": "if `offered_until` is set, the customer has an offer. Otherwise an operator has "
    "claimed the entry for a limited time",
    "parked": "the entry is set aside until an operator redrives it",
    "leaving": "the entry is being removed",
    "left": "the customer has left, or an operator has removed them",
    "admitted": "the customer has been admitted",
}
# The type has a name so that it becomes a component of the OpenAPI document.
EntryStatus = TypeAliasType(
    "EntryStatus",
    Annotated[
        str,
        Field(json_schema_extra=extensible("The state of an entry.", STATUS_MEANINGS)),
    ],
)
PollSeconds = Annotated[int, documented(minimum=1, maximum=LONGEST_SECONDS)]
EntryToken = Annotated[str, documented(pattern=f"^{TOKEN.pattern}$")]


class EntryAnswer(Model):
    entry_id: TheEntryId
    status: EntryStatus
    position: Annotated[
        Position | None,
        Field(
            description="1 + the number of entries ahead. Entries whose address is not verified "
            "yet are not counted. Null if the entry is not waiting."
        ),
    ]
    total: Annotated[
        Count | None,
        Field(
            description="The number of waiting entries. Null if the waitlist hides this number or "
            "the number is unknown."
        ),
    ]
    priority: Priority
    joined_at: Time | None
    offered_until: Annotated[
        Time | None,
        Field(
            description="The deadline for accepting the offer with `enter`. Null if the customer "
            "has no offer, for example because an operator has claimed the entry."
        ),
    ] = None


NOT_READY_MEANINGS = {
    **{name: facet.REASONS[name] for facet in Facet.__subclasses__() for name in facet.REASONS},
    # Redis sets this reason itself, so no facet contains it.
    "away": "the customer has stopped polling, until the customer's next poll",
}
# The type has a name so that it becomes a component of the OpenAPI document.
NotReadyReason = TypeAliasType(
    "NotReadyReason",
    Annotated[
        str,
        Field(json_schema_extra=extensible("Why an entry is not ready.", NOT_READY_MEANINGS)),
    ],
)


class WithReadiness(Model):
    """Whether a waiting entry can be served. Entries that are not ready are passed over."""

    ready: Annotated[
        bool | None,
        Field(
            description="Whether the entry can be offered a slot, admitted or claimed when its "
            "turn comes. Null if the entry is not waiting."
        ),
    ] = None
    not_ready: Annotated[
        Annotated[list[NotReadyReason], documented(maxItems=MAX_NOT_READY_REASONS)] | None,
        Field(
            description="Why the entry is not ready. Null if the entry is ready or is not waiting."
        ),
    ] = None
    ready_ahead: Annotated[
        Count | None,
        Field(
            description="How many of the entries ahead are ready. The estimated wait is based on "
            "this number. `position` also counts entries that are not ready. Null if the entry is "
            "not waiting."
        ),
    ] = None
    rest_until: Annotated[
        Time | None,
        Field(
            description="When the customer stops letting others pass. The entry then becomes ready "
            "again, unless there is another reason why it is not ready. Null if the customer is "
            "not letting others pass."
        ),
    ] = None
    delayed_until: Annotated[
        Time | None,
        Field(
            description="When the entry's delay ends. An entry is delayed when an operator "
            "releases its claim with `delay_seconds`, or when the customer declines an offer and "
            "may keep their position. Null if the entry is not delayed."
        ),
    ] = None
    confirm_by: Annotated[
        Time | None,
        Field(
            description="The deadline for the customer to `confirm` that they are still waiting. "
            "Null if the customer has not been asked, or if the entry is not waiting."
        ),
    ] = None


class CustomersEntryAnswer(EntryAnswer, WithReadiness, WithEstimate, WithCallNumber):
    """An entry, as its customer sees it."""

    rank: Annotated[
        Rank | None,
        Field(
            description="The number that the queue is sorted by. Entries with a lower rank are "
            "served first. To find an entry's position, look up its rank in the waitlist's board. "
            "Null if the entry is not waiting."
        ),
    ]
    poll_after_seconds: Annotated[
        PollSeconds | None,
        Field(
            description="How many seconds to wait before polling again: 1 near the head of the "
            "queue, and up to 300 further back. At most 60 if the entry is not ready. Null if the "
            "customer has left or was admitted."
        ),
    ]
    call: Annotated[
        CallAnswer | None,
        Field(
            description="When an operator last called the customer, and where the customer "
            "should go. Null if the entry is not claimed, or if nobody has called the customer."
        ),
    ] = None
