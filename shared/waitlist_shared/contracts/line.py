"""The messages about the line: who stands in it, and where."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from waitlist_shared.contracts.basis import (
    ClaimToken,
    EntryId,
    Epoch,
    LeaseSeconds,
    Number,
    OnceKey,
    OnEntry,
    OnStay,
    OnTaggedStay,
    OnWaitlist,
    Places,
    Priority,
    Rank,
    Request,
    Result,
    Seen,
    SegmentIds,
    Standing,
    State,
    Ticket,
)
from waitlist_shared.limits import (
    MAX_ATTEMPTS,
    MAX_CAPACITY,
    MAX_PAGE,
    ONCE_SECONDS,
)


class Ping(Request, frozen=True, tag="ping"):
    """Asks whether Redis answers."""


class PingResult(Result, frozen=True):
    pass


class Counters(Struct, frozen=True, kw_only=True):
    signed_up: Number = 0
    left: Number = 0
    admitted: Number = 0


class Settings(Struct, frozen=True, kw_only=True):
    """What the scripts enforce; of two writes the higher `version` stays.

    `segments_version` is that at which the declared segments last changed; 0 for none.
    """

    version: Number
    open: bool = True
    paused: bool = False
    lease_seconds: LeaseSeconds = 300
    max_attempts: Annotated[int, Meta(ge=1, le=MAX_ATTEMPTS)] = 5
    hide_counts: bool = False
    capacity: Annotated[int, Meta(ge=1, le=MAX_CAPACITY)] | None = None
    segments_version: Number = 0


class Init(OnWaitlist, frozen=True, kw_only=True, tag="init"):
    """Makes a waitlist known, gives it new settings, or (warm, same epoch) ends its rebuild.

    A new order counts on from `counters`, those of the last beat that the record has.
    An order that another server has taken over is moved there: it is to be mended by the journal,
    or if it is another life's than `known_epoch`, or older than `known_beat`, rebuilt.
    With `only_if_known` it makes none known: a rebuild's last word must not, if Redis is lost
    just before it, declare an empty order complete.
    """

    settings: Settings
    state: State
    epoch: Epoch
    floor_ticket: Ticket = 0
    counters: Counters = Counters()
    known_epoch: Epoch | None = None
    known_beat: Number = 0
    only_if_known: bool = False


class InitResult(Result, frozen=True, kw_only=True):
    """`outcome` is created, exists, moved or warmed; `state` and `epoch` are those in force.

    Stamps later than `born` are of this life of the order. One that `is_mending` lacks at most
    what the journal has.
    """

    state: State
    epoch: Epoch
    born: Ticket = 0
    is_mending: bool = False


class Signup(OnTaggedStay, frozen=True, kw_only=True, tag="signup"):
    pass


class SignupResult(Result, frozen=True, kw_only=True):
    """`outcome` is joined or already; no position is known while the order is rebuilt.

    `total` is None then, and where customers are shown no counts.
    """

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    position: int | None = None
    total: int | None = None


class EndOfStay(OnStay, frozen=True, kw_only=True):
    """`ticket` is the stay's, where it is known: a later stay's place is not touched then."""

    ticket: Ticket | None = None


class Leave(EndOfStay, frozen=True, kw_only=True, tag="leave"):
    pass


class LeaveResult(Result, frozen=True, kw_only=True):
    """`outcome` is left, or absent: it had left before, or never had a place."""

    stamp: Ticket


class Drop(EndOfStay, frozen=True, kw_only=True, tag="drop"):
    """Takes an entry out that the record does not know as waiting; not counted as left.

    An entry that `is_admitted` by the record, and was not told so, is counted as admitted. Of one
    that `is_erased` Redis also forgets which moves it has made.
    """

    is_admitted: bool = False
    is_erased: bool = False


class DropResult(Result, frozen=True, kw_only=True):
    """`outcome` is dropped, or absent: it ended before, at `dropped_stamp`, or had no place."""

    stamp: Ticket
    dropped_stamp: Ticket = 0


class Bump(OnEntry, frozen=True, kw_only=True, tag="bump"):
    """Moves an entry; exactly one of `priority`, `places` and `to` says where.

    `priority` puts it where its ticket belongs among that priority. `places` puts it so many places
    ahead, not beyond the head of its priority; where no rank is free between the two entries at the
    target, in the nearest gap ahead. `front` is the head of its priority; `back` is behind all
    entries, at priority 0, as a signup would be.
    """

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

    `stamp` is new at each call; `moved_stamp` is that of the move itself, and so is `moved_by`: how
    many places nearer to the head it brought the entry, negative if farther. None of the repeat of
    a move that Redis has lost, or that an earlier version made. `attempts` counts the holds that
    have expired; `expired_stamp` as in Claimed.
    """

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    moved_stamp: Ticket
    position: int
    total: int
    moved_by: int | None = None
    attempts: Number | None = None
    expired_stamp: Ticket = 0


class Position(OnEntry, frozen=True, kw_only=True, tag="position"):
    """Asks for the place in line, and in some of the segments that the entry is in."""

    segments: SegmentIds = ()
    segments_version: Number = 0


class SegmentPlace(Struct, frozen=True, kw_only=True):
    """A place within a segment; None for who is not in line there."""

    position: int | None
    total: int


class PositionResult(Result, frozen=True, kw_only=True):
    """`outcome` is waiting, held, parked, done (admitted) or absent.

    The position of those who wait is 1 + the number of people ahead; `places` are those in the
    segments that were asked for, in their order.
    """

    total: int
    hide_counts: bool = False
    position: int | None = None
    rank: Rank | None = None
    ticket: Ticket | None = None
    places: tuple[SegmentPlace, ...] = ()


class Page(OnWaitlist, frozen=True, kw_only=True, tag="page"):
    """Reads entries in serving order: behind `after_rank`, or from the position `first` on."""

    after_rank: Rank | None = None
    first: Places | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE

    def __post_init__(self) -> None:
        if self.after_rank is not None and self.first is not None:
            raise ValueError("at most one of after_rank and first is allowed")


class PageEntry(Struct, frozen=True, kw_only=True):
    entry_id: EntryId
    position: int
    rank: Rank
    ticket: Ticket


class PageResult(Result, frozen=True, kw_only=True):
    """`next_rank` is the `after_rank` of the next page, or None behind the last."""

    entries: list[PageEntry]
    total: int
    next_rank: Rank | None = None


class Stats(OnWaitlist, frozen=True, kw_only=True, tag="stats"):
    pass


class StatsResult(Result, frozen=True, kw_only=True):
    """Answered during a rebuild too; then `state` is hydrating and `waiting` still grows."""

    state: State
    epoch: Epoch
    waiting: int
    counters: Counters
    head_ticket: Ticket | None = None
    offered: int = 0
    parked: int = 0
    oldest_parked_millis: Number | None = None
    segments_state: Literal["ready", "building"] = "ready"


class Restore(OnTaggedStay, frozen=True, kw_only=True, tag="restore"):
    """Puts an entry back at its recorded rank.

    `epoch` ties a rebuild's restores to the order that it rebuilds; `overwrite` lets the
    second pass of a rebuild correct the first; `seen` corrects an entry that looks just so.
    """

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    epoch: Epoch | None = None
    overwrite: bool = False
    once_key: OnceKey | None = None
    once_stamp: Ticket | None = None
    state: Standing = "waiting"
    token: ClaimToken | None = None
    time_millis: Number = 0
    attempts: Number = 0
    seen: Seen | None = None


class RestoreResult(Result, frozen=True, kw_only=True):
    """`outcome` is restored or present; `state` is where the entry is now."""

    state: str = "waiting"
    position: int | None = None
    total: int | None = None
    rank: Rank | None = None
    ticket: Ticket | None = None
    attempts: Number = 0


class Purge(OnWaitlist, frozen=True, kw_only=True, tag="purge"):
    """Forgets a waitlist's order."""


class PurgeResult(Result, frozen=True):
    pass
