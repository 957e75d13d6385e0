"""The private function's messages: one request and one result per operation.

A field added later gets a default, so that an older caller's message still decodes; unknown
fields are ignored, so that a newer caller's does too.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from waitlist_shared import ids
from waitlist_shared.limits import (
    MAX_ATTEMPTS,
    MAX_BATCH,
    MAX_CAPACITY,
    MAX_CLAIM,
    MAX_LEASE_SECONDS,
    MAX_PAGE,
    MAX_PLACES,
    MAX_PRIORITY,
    MAX_RANK,
    ONCE_SECONDS,
)

VERSION = 1

# \Z, not $: in Python's re a $ also matches before a final newline.
WaitlistId = Annotated[str, Meta(pattern=rf"\A{ids.WAITLIST_ID}\Z")]
EntryId = Annotated[str, Meta(pattern=rf"\A{ids.ENTRY_ID}\Z")]
JoinId = Annotated[str, Meta(pattern=rf"\A{ids.JOIN_ID}\Z")]
Epoch = JoinId
OnceKey = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
Number = Annotated[int, Meta(ge=0, le=MAX_RANK)]
Priority = Annotated[int, Meta(ge=0, le=MAX_PRIORITY)]
Places = Annotated[int, Meta(ge=1, le=MAX_PLACES)]
State = Literal["warm", "hydrating"]
# Where an entry of the list can be: in line, held by a claim, or put aside.
Standing = Literal["waiting", "held", "parked"]
ClaimToken = Annotated[str, Meta(pattern=r"\A[0-9a-f]{40}\Z")]
LeaseSeconds = Annotated[int, Meta(ge=1, le=MAX_LEASE_SECONDS)]


class Request(Struct, frozen=True, kw_only=True, tag_field="op"):
    """What every request carries: the contract's version, and `op`, its tag."""

    v: int = VERSION


class OnWaitlist(Request, frozen=True, kw_only=True):
    waitlist_id: WaitlistId


class OnEntry(OnWaitlist, frozen=True, kw_only=True):
    entry_id: EntryId


class OnStay(OnEntry, frozen=True, kw_only=True):
    """About one stay in line: `join_id` tells it from an earlier or later stay."""

    join_id: JoinId


class Result(Struct, frozen=True, kw_only=True):
    outcome: str
    ok: bool = True


class Failure(Struct, frozen=True, kw_only=True):
    """What is answered instead of a result; `code` is one of `errors.BY_CODE`."""

    code: str
    message: str
    ok: bool = False


class Ping(Request, frozen=True, tag="ping"):
    """Asks whether Redis answers."""


class PingResult(Result, frozen=True):
    pass


class Counters(Struct, frozen=True, kw_only=True):
    signed_up: Number = 0
    left: Number = 0
    admitted: Number = 0


class Settings(Struct, frozen=True, kw_only=True):
    """What the scripts enforce; of two writes the higher `version` stays."""

    version: Number
    open: bool = True
    paused: bool = False
    lease_seconds: LeaseSeconds = 300
    max_attempts: Annotated[int, Meta(ge=1, le=MAX_ATTEMPTS)] = 5
    hide_counts: bool = False
    capacity: Annotated[int, Meta(ge=1, le=MAX_CAPACITY)] | None = None


class Init(OnWaitlist, frozen=True, kw_only=True, tag="init"):
    """Makes a waitlist known, gives it new settings, or (warm, same epoch) ends its rebuild.

    With `only_if_known` it makes none known: a rebuild's last word must not, if Redis is lost
    just before it, declare an empty order complete.
    """

    settings: Settings
    state: State
    epoch: Epoch
    floor_ticket: Number = 0
    counters: Counters = Counters()
    only_if_known: bool = False


class InitResult(Result, frozen=True, kw_only=True):
    """`outcome` is created, exists or warmed; `state` and `epoch` are those in force."""

    state: State
    epoch: Epoch


class Signup(OnStay, frozen=True, kw_only=True, tag="signup"):
    pass


class SignupResult(Result, frozen=True, kw_only=True):
    """`outcome` is joined or already; no position is known while the order is rebuilt."""

    rank: Number
    ticket: Number
    stamp: Number
    position: int | None = None
    total: int | None = None


class EndOfStay(OnStay, frozen=True, kw_only=True):
    """`ticket` is the stay's, where it is known: a later stay's place is not touched then."""

    ticket: Number | None = None


class Leave(EndOfStay, frozen=True, kw_only=True, tag="leave"):
    pass


class LeaveResult(Result, frozen=True, kw_only=True):
    """`outcome` is left or absent."""

    stamp: Number


class Drop(EndOfStay, frozen=True, kw_only=True, tag="drop"):
    """Takes an entry out that the record does not know as waiting; not counted as left."""


class DropResult(Result, frozen=True, kw_only=True):
    """`outcome` is dropped or absent."""

    stamp: Number


class Bump(OnEntry, frozen=True, kw_only=True, tag="bump"):
    """Moves an entry; exactly one of `priority`, `places` and `to` says where."""

    once_key: OnceKey
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS
    priority: Priority | UnsetType = UNSET
    places: Places | UnsetType = UNSET
    to: Literal["front", "back"] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if sum(value is not UNSET for value in (self.priority, self.places, self.to)) != 1:
            raise ValueError("exactly one of priority, places and to is needed")


class BumpResult(Result, frozen=True, kw_only=True):
    """`outcome` is moved, or repeat for a `once_key` seen before.

    `stamp` is new at each call; `moved_stamp` is that of the move itself.
    """

    rank: Number
    ticket: Number
    stamp: Number
    moved_stamp: Number
    position: int
    total: int


class Position(OnEntry, frozen=True, kw_only=True, tag="position"):
    pass


class PositionResult(Result, frozen=True, kw_only=True):
    """`outcome` is waiting, held, parked, done (admitted) or absent.

    The position of those who wait is 1 + the number of people ahead.
    """

    total: int
    hide_counts: bool = False
    position: int | None = None
    rank: Number | None = None
    ticket: Number | None = None


class Page(OnWaitlist, frozen=True, kw_only=True, tag="page"):
    """Reads entries in serving order, those behind `after_rank`."""

    after_rank: Number | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE


class PageEntry(Struct, frozen=True, kw_only=True):
    entry_id: EntryId
    position: int
    rank: Number
    ticket: Number


class PageResult(Result, frozen=True, kw_only=True):
    """`next_rank` is the `after_rank` of the next page, or None behind the last."""

    entries: list[PageEntry]
    total: int
    next_rank: Number | None = None


class Stats(OnWaitlist, frozen=True, kw_only=True, tag="stats"):
    pass


class StatsResult(Result, frozen=True, kw_only=True):
    """Answered during a rebuild too; then `state` is hydrating and `waiting` still grows."""

    state: State
    epoch: Epoch
    waiting: int
    counters: Counters
    head_ticket: Number | None = None
    offered: int = 0
    parked: int = 0
    oldest_parked_millis: Number | None = None


class Restore(OnStay, frozen=True, kw_only=True, tag="restore"):
    """Puts an entry back at its recorded rank.

    `epoch` ties a rebuild's restores to the order that it rebuilds; `overwrite` lets the
    second pass of a rebuild correct the first.
    """

    rank: Number
    ticket: Number
    stamp: Number
    epoch: Epoch | None = None
    overwrite: bool = False
    once_key: OnceKey | None = None
    once_stamp: Number | None = None
    state: Standing = "waiting"
    token: ClaimToken | None = None
    time_millis: Number = 0
    attempts: Number = 0


class RestoreResult(Result, frozen=True, kw_only=True):
    """`outcome` is restored or present; `state` is where the entry is now."""

    state: str = "waiting"
    position: int | None = None
    total: int | None = None
    rank: Number | None = None
    ticket: Number | None = None
    attempts: Number = 0


class Claim(OnWaitlist, frozen=True, kw_only=True, tag="claim"):
    """Holds up to `count` entries from an end of the line; a `once_key` repeat gets the same."""

    count: Annotated[int, Meta(ge=1, le=MAX_CLAIM)] = 1
    lease_seconds: LeaseSeconds | None = None
    order: Literal["oldest", "newest"] = "oldest"
    once_key: OnceKey | None = None


class Claimed(Struct, frozen=True, kw_only=True):
    """One held entry; `attempts` counts the holds of it that have expired before.

    A repeat also has those who are done by now, with a deadline of 0.
    """

    entry_id: EntryId
    token: ClaimToken
    deadline_millis: Number
    attempts: Number
    rank: Number
    ticket: Number


class ClaimResult(Result, frozen=True, kw_only=True):
    """`outcome` is claimed, or repeat for a `once_key` seen before: then nobody was taken."""

    entries: list[Claimed]
    stamp: Number


class OnHold(OnEntry, frozen=True, kw_only=True):
    """About a hold, by whoever has its token."""

    token: ClaimToken


class HoldResult(Result, frozen=True, kw_only=True):
    stamp: Number
    rank: Number
    ticket: Number
    attempts: Number = 0


class Complete(OnHold, frozen=True, kw_only=True, tag="complete"):
    pass


class CompleteResult(HoldResult, frozen=True, kw_only=True):
    pass


class Release(OnHold, frozen=True, kw_only=True, tag="release"):
    to: Literal["place", "back"] = "place"


class ReleaseResult(HoldResult, frozen=True, kw_only=True):
    """No position is known while the order is rebuilt."""

    position: int | None = None
    total: int | None = None


class Extend(OnHold, frozen=True, kw_only=True, tag="extend"):
    lease_seconds: LeaseSeconds | None = None


class ExtendResult(HoldResult, frozen=True, kw_only=True):
    deadline_millis: Number


class Park(OnHold, frozen=True, kw_only=True, tag="park"):
    pass


class ParkResult(HoldResult, frozen=True, kw_only=True):
    parked_millis: Number


class Redrive(OnEntry, frozen=True, kw_only=True, tag="redrive"):
    """Brings a parked entry back into line."""

    to: Literal["place", "back"] = "place"


class RedriveResult(HoldResult, frozen=True, kw_only=True):
    position: int
    total: int


class Expire(OnWaitlist, frozen=True, kw_only=True, tag="expire"):
    """Ends expired holds; tells where those stand who changed a while ago (by Redis' clock)."""

    min_age_seconds: Annotated[int, Meta(ge=0, le=3600)] = 60
    limit: Annotated[int, Meta(ge=1, le=MAX_BATCH)] = MAX_BATCH


class Unsettled(Struct, frozen=True, kw_only=True):
    """Where an entry stands in Redis; `state` is waiting, held, parked, done or absent.

    `seen_micros` goes back with `settle`; `time_millis` is the deadline or the time of parking.
    """

    entry_id: EntryId
    seen_micros: Number
    state: str
    rank: Number
    ticket: Number
    attempts: Number
    token: str
    time_millis: Number


class ExpireResult(Result, frozen=True, kw_only=True):
    """`is_all` is false where more holds have expired than one call ends."""

    stamp: Number
    is_all: bool
    max_attempts: int
    places: list[Unsettled]


class Settle(OnEntry, frozen=True, kw_only=True, tag="settle"):
    """Says that the record has caught up with what was seen of an entry."""

    seen_micros: Number
    join_id: JoinId | None = None


class SettleResult(Result, frozen=True):
    """`outcome` is settled, or changed: seen again later."""


class Shelf(OnWaitlist, frozen=True, kw_only=True, tag="shelf"):
    """Reads those held, by deadline, or parked, by time; those behind the last one seen."""

    which: Literal["held", "parked"]
    after_time: Number = 0
    after_id: EntryId | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE


class ShelfEntry(Struct, frozen=True, kw_only=True):
    entry_id: EntryId
    time_millis: Number
    rank: Number
    ticket: Number
    attempts: Number


class ShelfResult(Result, frozen=True, kw_only=True):
    entries: list[ShelfEntry]
    total: int


class Purge(OnWaitlist, frozen=True, kw_only=True, tag="purge"):
    """Forgets a waitlist's order."""


class PurgeResult(Result, frozen=True):
    pass


Single = (
    Ping
    | Init
    | Signup
    | Leave
    | Drop
    | Bump
    | Position
    | Page
    | Stats
    | Restore
    | Purge
    | Claim
    | Complete
    | Release
    | Extend
    | Park
    | Redrive
    | Expire
    | Settle
    | Shelf
)


class Batch(Request, frozen=True, kw_only=True, tag="batch"):
    """Up to 500 requests in one round trip; each fails or succeeds for itself."""

    requests: Annotated[list[Single], Meta(max_length=MAX_BATCH)]


class BatchResult(Result, frozen=True, kw_only=True):
    """Results and failures in the order of the requests, each as its own message."""

    results: list[dict[str, object]]


AnyRequest = Single | Batch
