"""The messages about the queue, the entries in it, and the settings of the waitlist."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from waitlist_shared.contracts.common import (
    ClaimToken,
    EntryId,
    EntryState,
    Epoch,
    LeaseSeconds,
    NotReady,
    Number,
    OfferSeconds,
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
    State,
    Ticket,
    answers,
)
from waitlist_shared.limits import (
    DEFAULT_LEASE_SECONDS,
    DEFAULT_MAX_ATTEMPTS,
    DEFAULT_OFFER_SECONDS,
    MAX_ATTEMPTS,
    MAX_CAPACITY,
    MAX_PAGE,
    MAX_PASS_SECONDS,
    MAX_PRESENCE_SECONDS,
    MAX_RATE,
    MIN_PRESENCE_SECONDS,
    ONCE_SECONDS,
)


class Ping(Request, frozen=True):
    """Checks that Redis answers."""


@answers(Ping)
class PingResult(Result, frozen=True):
    pass


class Counters(Struct, frozen=True, kw_only=True):
    """The number of times that each event has happened since the waitlist was created."""

    signed_up: Number = 0
    left: Number = 0
    admitted: Number = 0
    entered: Number = 0  # admissions through offers
    declined: Number = 0
    no_shows: Number = 0  # offers that expired unused


NoShow = Literal["keep_place", "to_back", "leave"]
Unanswered = Literal["park", "leave", "to_back"]
Acceptance = Literal["enter", "automatic"]
RateCounts = Literal["offered", "entered"]
Combine = Literal["least", "sum"]


class Settings(Struct, frozen=True, kw_only=True):
    """The settings that the Redis scripts enforce.

    A field that has the name of a setting of the waitlist or of its policy gets the same value
    (`init_of` in waitlist_api/queue/messages.py).
    """

    # Redis keeps the settings with the higher version.
    version: Number
    open: bool = True
    paused: bool = False
    lease_seconds: LeaseSeconds = DEFAULT_LEASE_SECONDS
    max_attempts: Annotated[int, Meta(ge=1, le=MAX_ATTEMPTS)] = DEFAULT_MAX_ATTEMPTS
    hide_counts: bool = False
    capacity: Annotated[int, Meta(ge=1, le=MAX_CAPACITY)] | None = None
    # The version in which the segment settings last changed, or 0 if the waitlist has no segments.
    segments_version: Number = 0
    # True if the waitlist has an admission policy.
    admission: bool = False
    # The rate admits `rate_count` customers every `rate_millis` milliseconds, starting at the time
    # `rate_from`.
    rate_count: Annotated[int, Meta(ge=1, le=MAX_RATE)] | None = None
    rate_millis: Annotated[int, Meta(ge=1000, le=86_400_000)] | None = None
    rate_from: Number | None = None
    # `entered` if an unused offer does not count toward the rate, and `offered` if it does.
    rate_counts: RateCounts = "offered"
    # The version in which the admission schedule last changed, or 0 if there is no schedule.
    schedule_version: Number = 0
    # The Unix time of that change, in milliseconds. Earlier times of the schedule do not count.
    schedule_since: Number = 0
    # If a policy has a rate and a schedule, `least` uses the smaller number of admissions, and
    # `sum` adds both numbers.
    combine: Combine = "least"
    # Redis makes no offers while this many customers are inside or have a claim or an offer. Claims
    # are always allowed.
    max_inside: Annotated[int, Meta(ge=1, le=MAX_CAPACITY)] | None = None
    offer_seconds: OfferSeconds = DEFAULT_OFFER_SECONDS
    # The time for which an admitted customer counts as inside, or 0 if there is no policy.
    pass_seconds: Annotated[int, Meta(ge=0, le=MAX_PASS_SECONDS)] = 0
    no_show: NoShow = "to_back"
    acceptance: Acceptance = "enter"
    # The maximum number of entries that may be claimed at the same time.
    max_claims: Annotated[int, Meta(ge=1, le=MAX_CAPACITY)] | None = None
    # The times at which signups begin and end. A field is missing in Redis if it is not set.
    opens_millis: Number | UnsetType = UNSET
    closes_millis: Number | UnsetType = UNSET
    # True if the policy makes offers only during opening hours. Each message about offers contains
    # these hours.
    has_hours: bool | UnsetType = UNSET
    # If a customer has polled, and not within this time, offers pass the customer over.
    presence_seconds: (
        Annotated[int, Meta(ge=MIN_PRESENCE_SECONDS, le=MAX_PRESENCE_SECONDS)] | UnsetType
    ) = UNSET


# The mode `open` prepares a rebuild if Redis may have lost the queue. The modes `configure` and
# `finish_rebuild` fail if Redis does not have the waitlist.
Mode = Literal["create", "open", "configure", "finish_rebuild"]


class Init(OnWaitlist, frozen=True, kw_only=True):
    """Creates a waitlist in Redis, gives it new settings, or ends the rebuild of its queue."""

    settings: Settings
    mode: Mode
    epoch: Epoch
    # All logical timestamps of a new queue are later than `floor_ticket`.
    floor_ticket: Ticket = 0
    # The initial values of the counters of a new queue.
    counters: Counters = Counters()
    # A new queue ignores the admission schedule up to this Unix time in milliseconds, because the
    # previous queue may already have made these offers.
    scheduled_until: Number = 0


@answers(Init)
class InitResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `created`, `exists`, or `warmed` if the request has completed a rebuild."""

    state: State
    epoch: Epoch
    # All logical timestamps in the lifetime of this queue are later than `epoch_start`.
    epoch_start: Ticket


class Signup(OnTaggedStay, frozen=True, kw_only=True):
    """Adds an entry at the end of the queue."""

    # The newest logical timestamp in the customer's record. The ticket of the new entry is later.
    known_stamp: Ticket = 0


@answers(Signup)
class SignupResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `joined`, or `already` if the entry is already on the waitlist."""

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    # The position and the total are None while the queue is being rebuilt.
    position: int | None = None
    # The total is also None if the waitlist hides its counts from customers.
    total: int | None = None
    # How fast the waitlist admits people. It is None for an imported entry.
    pace: str | None = None
    ready_ahead: int | None = None


class EndStay(OnStay, frozen=True, kw_only=True):
    """Removes an entry from the waitlist for good."""

    # If a ticket is given, the entry is removed only if it has this ticket. A later signup of the
    # same customer has a different ticket.
    ticket: Ticket | None = None
    # The newest logical timestamp in the record. Redis creates only later timestamps from then on.
    known_stamp: Ticket = 0


class Leave(EndStay, frozen=True, kw_only=True):
    """Removes the entry of a customer who leaves, and counts the customer in `left`."""

    # A customer who leaves by declining an offer is also counted in `declined`.
    is_declining: bool = False
    is_erased: ClassVar = False
    unless_placed: ClassVar = False
    inside_until_millis: ClassVar = None

    @property
    def counts_as(self) -> Literal["left", "declined"]:
        return "declined" if self.is_declining else "left"


class Drop(EndStay, frozen=True, kw_only=True):
    """Removes an entry that is not waiting according to its record.

    The entry is not counted in `left`.
    """

    unless_placed: bool = False  # keep an entry that has a place in Redis
    is_admitted: bool = False  # count an admission that Redis has lost
    is_erased: bool = False  # also forget the moves of the entry
    # The time until which the customer is inside, or 0 if the customer is not inside.
    inside_until_millis: Number | None = None

    @property
    def counts_as(self) -> Literal["admitted", "nothing"]:
        return "admitted" if self.is_admitted else "nothing"


@answers(Leave, Drop)
class EndStayResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `left`, `dropped`, `absent` or `present`.

    - `absent`: the entry had already been removed, or had no place. - `present`: the entry was kept
    because it has a place in Redis.
    """

    stamp: Ticket
    # The logical timestamp of the removal.
    ended_stamp: Ticket
    # The ticket of the removed entry, or None if Redis did not have the entry.
    ticket: Ticket | None = None


class Bump(OnEntry, frozen=True, kw_only=True):
    """Moves a waiting entry. Exactly one of `priority`, `places` and `to` must be given."""

    # If a ticket is given, the entry is moved only if it has this ticket.
    ticket: Ticket | None = None
    once_key: OnceKey
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS
    # The new priority. The ticket of the entry determines its rank within this priority.
    priority: Priority | UnsetType = UNSET
    # The number of places by which the entry moves ahead, but not into a higher priority.
    places: Places | UnsetType = UNSET
    # The front of the entry's priority, or the end of the queue (at priority 0).
    to: Literal["front", "back"] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if sum(value is not UNSET for value in (self.priority, self.places, self.to)) != 1:
            raise ValueError("exactly one of priority, places and to is needed")


@answers(Bump)
class BumpResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `moved`, or `repeat` if an earlier request had the same `once_key`."""

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    # The logical timestamp of the move. `stamp` is a new logical timestamp in each call.
    moved_stamp: Ticket
    position: int
    total: int
    # The number of places by which the entry moved ahead, or a negative number if it moved back.
    # None means that Redis no longer knows the distance of an earlier move.
    moved_by: int | None = None
    # The number of claims and offers of the entry that expired.
    attempts: Number
    # The logical timestamp at which the previous claim expired, if the record may lack this.
    # Otherwise 0.
    expired_stamp: Ticket
    expired_millis: Number  # the deadline of that claim
    basis_stamp: Ticket | None = None


class Position(OnEntry, frozen=True, kw_only=True):
    """Reads the position of an entry in the queue and within some of its segments."""

    segments: SegmentIds = ()
    segments_version: Number = 0
    # True if the customer sends the request. It shows that the customer is present.
    is_poll: bool = False


class SegmentPlace(Struct, frozen=True, kw_only=True):
    """The position of an entry within a segment, and the number of entries in the segment."""

    position: int | None = None  # None if the entry is not in the segment
    total: int


@answers(Position)
class PositionResult(Result, frozen=True, kw_only=True):
    """The `outcome` is the state of the entry: a PlaceState, or `absent`."""

    # The number of waiting entries. Entries with an unverified address do not count.
    total: int
    hide_counts: bool = False
    # True if the admission policy has offers to make. The caller then sends an Admit request.
    is_due: bool = False
    offered_until_millis: Number | None = None
    # The number of entries ahead of the entry, plus 1. Entries with an unverified address do not
    # count.
    position: int | None = None
    rank: Rank | None = None
    ticket: Ticket | None = None
    # The position within each segment of the request, in the same order.
    places: tuple[SegmentPlace, ...] = ()
    # A text that describes how fast the waitlist admits people, or `unknown`, or `paused`.
    pace: str | None = None
    # The number of ready entries ahead. It is None if every entry on the waitlist has always been
    # ready.
    ready_ahead: int | None = None
    # The reasons why the entry cannot be claimed or offered a slot yet.
    not_ready: tuple[NotReady, ...] = ()
    # The deadline by which the customer must confirm that they are still waiting. It is 0 if the
    # customer was not asked.
    confirm_by_millis: Number = 0
    # The time within which the customer must poll again to count as present. It is None if polls of
    # this entry are not noted.
    presence_seconds: Number | None = None


class DrawStamp(OnWaitlist, frozen=True, kw_only=True):
    """Draws a stamp (logical timestamp) for an event that is written only to the record.

    The stamp is later than all decisions that Redis has made.
    """

    # The newest logical timestamp in the record. The new stamp is later.
    known_stamp: Ticket = 0


@answers(DrawStamp)
class DrawStampResult(Result, frozen=True, kw_only=True):
    stamp: Ticket


class EndWait(OnEntry, frozen=True, kw_only=True):
    """Ends the wait of a customer who did not confirm in time that they are still waiting."""

    # A late request must not end the wait of a later signup, which has a different ticket.
    ticket: Ticket
    confirm_by_millis: Number
    # Redis parks the entry (sets it aside), moves it to the end of the queue, or takes it out.
    action: Unanswered
    # Redis ignores the request if it has newer settings.
    settings_version: Number


@answers(EndWait)
class EndWaitResult(Result, frozen=True):
    """The `outcome` is `ended`, or `kept` if the wait must not end.

    An entry is kept if the request is out of date, or if the deadline has not passed.
    """


class ListWaiting(OnWaitlist, frozen=True, kw_only=True):
    """Reads a page of the waiting entries in serving order."""

    # If true, the page has only ready entries. If false, it has only entries that are not ready.
    ready: bool | None = None

    # The page begins after the rank `after`, or at the position `first`.
    after: Rank | None = None
    first: Places | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE

    def __post_init__(self) -> None:
        if self.after is not None and self.first is not None:
            raise ValueError("at most one of after and first is allowed")

    @property
    def which(self) -> Literal["waiting", "ready", "not_ready"]:
        if self.ready is None:
            return "waiting"
        return "ready" if self.ready else "not_ready"


class WaitingEntry(Struct, frozen=True, kw_only=True):
    entry_id: EntryId
    position: int
    rank: Rank
    ticket: Ticket
    ready_ahead: int | None = None
    not_ready: tuple[NotReady, ...] = ()


@answers(ListWaiting)
class ListWaitingResult(Result, frozen=True, kw_only=True):
    """One page of waiting entries."""

    entries: list[WaitingEntry]
    total: int
    # The value of `after` for the next page, or None if this is the last page.
    next_rank: Rank | None = None


class Stats(OnWaitlist, frozen=True, kw_only=True):
    """Counts the entries on a waitlist."""

    # The number of ready entries at the front of the queue whose ids are returned too.
    near: Annotated[int, Meta(ge=0, le=MAX_PAGE)] = 0


@answers(Stats)
class StatsResult(Result, frozen=True, kw_only=True):
    """The counts of a waitlist. They are also available during a rebuild."""

    state: State  # `hydrating` during a rebuild
    epoch: Epoch
    waiting: int  # still growing during a rebuild
    counters: Counters
    head_ticket: Ticket | None = None
    offered: int
    parked: int
    inside: int
    oldest_parked_millis: Number | None = None
    segments_state: Literal["ready", "building"]
    pace: str
    # The number of customers who should still enter because an operator has called `admit` with
    # `refill`.
    quota: Number
    # True if maintenance has work to do because time has passed, for example because a pass has
    # ended.
    is_due: bool
    # The logical timestamp of the last change.
    last_stamp: Number
    # The logical timestamp that a change would get now.
    clock_stamp: Number
    beat: Number
    settings_version: Number
    scheduled_until: Number
    not_ready: Number
    # The number of entries whose address is not verified.
    unverified: Number
    # The number of customers who have been asked whether they are still waiting.
    asked: Number
    # The number of entries whose customer has stopped to poll.
    away: Number
    # The ids of the first ready entries.
    first: tuple[EntryId, ...] = ()


class Board(OnWaitlist, frozen=True, kw_only=True):
    """Reads a snapshot of the positions in the queue.

    All requests within five seconds get the same snapshot.
    """


Line = Literal["open", "paused", "full", "not_open_yet", "closed"]


@answers(Board)
class BoardResult(Result, frozen=True, kw_only=True):
    """A snapshot of the positions in the queue at the time `as_of_millis`.

    If the waitlist hides its counts, the request fails with CountsHidden.
    """

    as_of_millis: Number
    total: Number
    line: Line
    # A JSON list of pairs of a rank and its position, in serving order. The first 200 entries have
    # a pair each. After them, each position is at most 1% higher than the position before it.
    cuts: str


class Restore(OnTaggedStay, frozen=True, kw_only=True):
    """Restores an entry in Redis with the rank from its record.

    `when` decides what happens if Redis already has the entry.
    """

    rank: Rank
    ticket: Ticket
    # The logical timestamp of the newest decision in the record.
    stamp: Ticket
    # The logical timestamp of the newest event in the record. Redis creates only later timestamps
    # from then on.
    known_stamp: Ticket = 0
    # During a rebuild, this must be the id of the queue that is being rebuilt.
    epoch: Epoch | None = None
    # If the value is `absent`, the entry is restored only if Redis does not have it. `older` also
    # replaces an entry if Redis has made no later decision about it. `unchanged` also replaces an
    # entry that still has the `expected` state and rank.
    when: Literal["absent", "older", "unchanged"] = "absent"
    expected: Seen | None = None
    once_key: OnceKey | None = None
    once_stamp: Ticket | None = None
    state: EntryState = "waiting"
    token: ClaimToken | None = None
    time_millis: Number = 0
    attempts: Number = 0

    def __post_init__(self) -> None:
        if (self.when == "unchanged") is (self.expected is None):
            raise ValueError(
                "expected is needed if when is unchanged, and is not allowed otherwise"
            )


@answers(Restore)
class RestoreResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `restored` or `present`."""

    state: str  # after the request
    position: int | None = None
    total: int | None = None
    rank: Rank | None = None
    ticket: Ticket | None = None
    attempts: Number = 0


class Purge(OnWaitlist, frozen=True, kw_only=True):
    """Deletes all data of a waitlist from Redis."""


@answers(Purge)
class PurgeResult(Result, frozen=True):
    pass
