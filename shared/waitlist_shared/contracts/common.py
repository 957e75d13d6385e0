"""Types that several messages share, and the registry of operations."""

import re
from collections.abc import Callable
from functools import cache
from typing import Annotated, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from waitlist_shared import ids
from waitlist_shared.limits import (
    MAX_COMBINATIONS,
    MAX_FILTERS,
    MAX_LEASE_SECONDS,
    MAX_NOT_READY_REASONS,
    MAX_OFFER_SECONDS,
    MAX_PLACES,
    MAX_PRIORITY,
    MAX_RANK,
    MAX_TICKET,
    MIN_RANK,
)

VERSION = 1

# The patterns end with \Z instead of $, because in Python $ also matches before a line break at the
# end.
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
# The states of an entry on a waitlist. An entry is `waiting` in the queue, `held` by a claim,
# `offered` a slot, or `parked`.
EntryState = Literal["waiting", "held", "offered", "parked"]
ClaimToken = Annotated[str, Meta(pattern=r"\A[0-9a-f]{40}\Z")]
InvitationId = Annotated[str, Meta(pattern=rf"\A{ids.INVITATION_ID}\Z")]
SegmentId = Annotated[str, Meta(pattern=rf"\A{ids.SEGMENT_ID}\Z")]
# The filter that selects the whole queue. All other filters are segment ids.
EVERYONE = "*"
Filters = Annotated[
    tuple[Annotated[str, Meta(pattern=rf"\A(?:{ids.SEGMENT_ID}|\*)\Z")], ...],
    Meta(max_length=MAX_FILTERS),
]
SegmentIds = Annotated[tuple[SegmentId, ...], Meta(max_length=MAX_COMBINATIONS)]
# A text that says how fast a waitlist admits people. It can also be `unknown` or `paused`.
PaceText = Annotated[str, Meta(max_length=2048, pattern=r"\A[a-z0-9.:+ -]*\Z")]
LeaseSeconds = Annotated[int, Meta(ge=1, le=MAX_LEASE_SECONDS)]
OfferSeconds = Annotated[int, Meta(ge=1, le=MAX_OFFER_SECONDS)]


@cache
def operation_name(class_name: str) -> str:
    """Return the snake_case name of an operation, for example `restore_many` for `RestoreMany`.

    Messages, log lines, script files and documents use this name.
    """
    return re.sub(r"(?<=.)([A-Z])", r"_\1", class_name).lower()


class Request(Struct, frozen=True, kw_only=True, tag_field="op", tag=operation_name):
    """The base class of all requests."""

    v: int = VERSION  # the version of the contract
    # The correlation id, which is used only in log lines. The requests in a batch have no
    # correlation id of their own.
    correlation_id: str | UnsetType = UNSET


class OnWaitlist(Request, frozen=True, kw_only=True):
    waitlist_id: WaitlistId


class OnEntry(OnWaitlist, frozen=True, kw_only=True):
    entry_id: EntryId


# If the caller does not know a signup's `join_id`, it sends this value instead, and the ticket
# identifies the signup (docs/decisions/0055-redis-names-a-stay-by-its-ticket.md).
NO_STAY = "00000000"


class OnStay(OnEntry, frozen=True, kw_only=True):
    """A request about one signup, which is identified by its `join_id`.

    A customer gets a new `join_id` each time they sign up.
    """

    join_id: JoinId


# The delays that Redis sets itself. An entry has at most one of them.
DelayReason = Literal["delayed", "declined"]


class NotReady(Struct, frozen=True):
    """One reason why a waiting entry cannot be claimed or offered a slot."""

    reason: Annotated[str, Meta(pattern=r"\A[a-z_]+\Z")]
    # When the reason ends, or 0 if its end is not known.
    until_millis: Number = 0


class Readiness(Struct, frozen=True, array_like=True):
    """The reasons why an entry is not ready. An entry without reasons is ready."""

    # The version of these reasons. Redis keeps the reasons with the highest version.
    version: Number
    not_ready: Annotated[tuple[NotReady, ...], Meta(max_length=MAX_NOT_READY_REASONS)] = ()
    # The deadline by which the customer must confirm that they are still waiting, or 0 if the
    # customer was not asked.
    confirm_by_millis: Number = 0


class OnTaggedStay(OnStay, frozen=True, kw_only=True):
    """A request about a signup that also contains the entry's segments, and the reasons why the
    entry is not ready.
    """

    segments: SegmentIds = ()
    # The version of the waitlist's segment settings, or 0 if the waitlist has no segments.
    segments_version: Number = 0
    # The version of the attributes from which the segments were computed. Redis keeps the segments
    # with the highest version.
    attributes_version: Number = 0
    readiness: Readiness | None = None  # None if the entry has always been ready


# The states that an entry can have in Redis. If the state is `done`, the customer was admitted. If
# it is `no_show`, the customer has lost their place, and maintenance will soon remove the entry
# from the waitlist.
PlaceState = EntryState | Literal["done", "no_show"]


class Seen(Struct, frozen=True, kw_only=True):
    """An entry's state and rank in Redis at the time when maintenance compared them with the
    entry's record.
    """

    state: PlaceState
    rank: Rank

    @property
    def text(self) -> str:
        return f"{self.state}:{self.rank}"


class Result(Struct, frozen=True, kw_only=True):
    outcome: str
    ok: bool = True


# RESULTS maps each request type to its result type, and REQUESTS maps each operation name to its
# request type.
RESULTS: dict[type[Request], type[Result]] = {}
REQUESTS: dict[str, type[Request]] = {}
R = TypeVar("R", bound=type[Result])


def answers(*requests: type[Request]) -> Callable[[R], R]:
    """Return a decorator that registers a class as the result type of these request types."""

    def register(result: R) -> R:
        for request in requests:
            RESULTS[request] = result
            REQUESTS[operation_name(request.__name__)] = request
        return result

    return register


class Failure(Struct, frozen=True, kw_only=True):
    """The answer to a request that failed. The `code` is a key of `errors.BY_CODE`."""

    code: str
    message: str
    ok: bool = False
