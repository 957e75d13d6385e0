"""Types that the messages share, and the registry of operations."""

from collections.abc import Callable
from typing import Annotated, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from waitlist_shared import ids
from waitlist_shared.limits import (
    MAX_COMBINATIONS,
    MAX_FILTERS,
    MAX_LEASE_SECONDS,
    MAX_NOT_READY_REASONS,
    MAX_PLACES,
    MAX_PRIORITY,
    MAX_RANK,
    MAX_TICKET,
    MIN_RANK,
)

VERSION = 1

# \Z, not $: in Python's re a $ also matches before a final newline.
WaitlistId = Annotated[str, Meta(pattern=rf"\A{ids.WAITLIST_ID}\Z")]
EntryId = Annotated[str, Meta(pattern=rf"\A{ids.ENTRY_ID}\Z")]
JoinId = Annotated[str, Meta(pattern=rf"\A{ids.JOIN_ID}\Z")]
Epoch = JoinId
OnceKey = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
Number = Annotated[int, Meta(ge=0, le=MAX_RANK)]
Rank = Annotated[int, Meta(ge=MIN_RANK, le=MAX_RANK)]
Ticket = Annotated[int, Meta(ge=0, le=MAX_TICKET)]
Priority = Annotated[int, Meta(ge=0, le=MAX_PRIORITY)]
Places = Annotated[int, Meta(ge=1, le=MAX_PLACES)]
State = Literal["warm", "hydrating"]
# Where an entry of the list can be: in the queue, held by a claim, offered a place, or parked.
EntryState = Literal["waiting", "held", "offered", "parked"]
ClaimToken = Annotated[str, Meta(pattern=r"\A[0-9a-f]{40}\Z")]
SegmentId = Annotated[str, Meta(pattern=rf"\A{ids.SEGMENT_ID}\Z")]
# Instead of a segment's id: the whole queue.
EVERYONE = "*"
Filters = Annotated[
    tuple[Annotated[str, Meta(pattern=rf"\A(?:{ids.SEGMENT_ID}|\*)\Z")], ...],
    Meta(max_length=MAX_FILTERS),
]
SegmentIds = Annotated[tuple[SegmentId, ...], Meta(max_length=MAX_COMBINATIONS)]
# How a queue moves, as text; or why that is not known: `unknown`, `paused`.
PaceText = Annotated[str, Meta(max_length=2048, pattern=r"\A[a-z0-9.:+ -]*\Z")]
LeaseSeconds = Annotated[int, Meta(ge=1, le=MAX_LEASE_SECONDS)]


class Request(Struct, frozen=True, kw_only=True, tag_field="op"):
    """The fields of every request: the contract's version, and `op`, its tag.

    The `correlation_id` goes into the log only. In a batch the batch has it, not its rows.
    """

    v: int = VERSION
    correlation_id: str | UnsetType = UNSET


class OnWaitlist(Request, frozen=True, kw_only=True):
    waitlist_id: WaitlistId


class OnEntry(OnWaitlist, frozen=True, kw_only=True):
    entry_id: EntryId


# No stay has this `join_id`: the message is about the place with its ticket, whose stay no record
# names any more (docs/decisions/0055-redis-names-a-stay-by-its-ticket.md).
NO_STAY = "00000000"


class OnStay(OnEntry, frozen=True, kw_only=True):
    """About one stay: an earlier or later stay of the same customer has another `join_id`."""

    join_id: JoinId


# Why a waiting entry is not ready to be taken.
NotReadyReason = Literal["resting", "held_back", "delayed", "unverified"]


class NotReady(Struct, frozen=True):
    """One reason why an entry is not ready, until a millisecond; 0 is an open end."""

    reason: NotReadyReason
    until_millis: Number = 0


class Readiness(Struct, frozen=True, array_like=True):
    """Why an entry is not ready; without a reason it is ready. The higher version wins.

    A customer who is asked whether they still wait is to confirm it by `confirm_by_millis`; 0
    without an open question.
    """

    version: Number
    not_ready: Annotated[tuple[NotReady, ...], Meta(max_length=MAX_NOT_READY_REASONS)] = ()
    confirm_by_millis: Number = 0


class OnTaggedStay(OnStay, frozen=True, kw_only=True):
    """A stay with its segments.

    `segments_version` is that of the declaration that they follow, 0 where none are declared.
    `attributes_version` counts the changes of the entry's attributes; the higher one wins. An entry
    that has never been anything but ready has no `readiness`.
    """

    segments: SegmentIds = ()
    segments_version: Number = 0
    attributes_version: Number = 0
    readiness: Readiness | None = None


# Where an entry can be in Redis: also just admitted, or about to leave after a no-show.
PlaceState = EntryState | Literal["done", "no_show"]


class Seen(Struct, frozen=True, kw_only=True):
    """Where a comparison with the record found an entry."""

    state: PlaceState
    rank: Rank

    @property
    def text(self) -> str:
        return f"{self.state}:{self.rank}"


class Result(Struct, frozen=True, kw_only=True):
    outcome: str
    ok: bool = True


# The result of each request, and the request of each `op`.
RESULTS: dict[type[Request], type[Result]] = {}
REQUESTS: dict[str, type[Request]] = {}
R = TypeVar("R", bound=type[Result])


def answers(*requests: type[Request]) -> Callable[[R], R]:
    """Register a class as the result of these requests."""

    def register(result: R) -> R:
        for request in requests:
            RESULTS[request] = result
            REQUESTS[str(request.__struct_config__.tag)] = request
        return result

    return register


class Failure(Struct, frozen=True, kw_only=True):
    """The answer instead of a result; `code` is one of `errors.BY_CODE`."""

    code: str
    message: str
    ok: bool = False
