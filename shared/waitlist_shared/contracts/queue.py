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
    MAX_ATTEMPTS,
    MAX_CAPACITY,
    MAX_OFFER_SECONDS,
    MAX_PAGE,
    MAX_PASS_SECONDS,
    MAX_RATE,
    ONCE_SECONDS,
)


class Ping(Request, frozen=True):
    """Checks that Redis answers."""


@answers(Ping)
class PingResult(Result, frozen=True):
    pass


class Counters(Struct, frozen=True, kw_only=True):
    """The number of times that each event has happened since the waitlist was created.

    `admitted` counts all admissions, and `entered` counts only admissions through offers.
    `declined` counts declined offers, and `no_shows` counts offers that expired unused. Offers that
    an operator took back are not counted.
    """

    signed_up: Number = 0
    left: Number = 0
    admitted: Number = 0
    entered: Number = 0
    declined: Number = 0
    no_shows: Number = 0


NoShow = Literal["keep_place", "to_back", "leave"]
Unanswered = Literal["park", "to_back", "leave"]
Acceptance = Literal["enter", "automatic"]
RateCounts = Literal["offered", "entered"]
Combine = Literal["least", "sum"]


class Settings(Struct, frozen=True, kw_only=True):
    """The settings that the Redis scripts enforce.

    If two writes compete, the higher `version` wins. Some fields need an explanation:

    - `segments_version` is the version in which the declared segments last changed. It is 0 if the
      waitlist declares no segments.
    - `admission` is true if the waitlist has an admission policy. A policy has a rate, a schedule,
      both of them, or only `max_inside`.
    - `rate_count`, `rate_millis` and `rate_from` define the rate: `rate_count` slots every
      `rate_millis` milliseconds, starting at the time `rate_from`.
    - `rate_counts` is `entered` if an unused offer returns its slot to the rate, and `offered`
      otherwise.
    - `schedule_version` is the version in which the schedule last changed, and `schedule_since` is
      the time of that change in milliseconds. Only later times of the schedule count. Both fields
      are 0 if there is no schedule.
    - `combine` applies to a policy with a rate and a schedule. The value `least` uses the smaller
      number of slots, and `sum` adds both numbers.
    - `max_inside` limits the number of customers inside, open offers and claims. It limits offers
      only, and claims are always allowed.
    - `pass_seconds` is how long an admitted customer counts as inside. It is 0 if there
      is no policy.
    - `max_claims` is the maximum number of entries that claims may hold at the same time.
    - `opens_millis` and `closes_millis` are the times at which signups begin and end.
    - `has_hours` is true if the policy makes offers only during opening hours. The messages that
      make offers contain these hours.

    If a waitlist does not use `opens_millis`, `closes_millis` or `has_hours`, the field is missing
    in messages and in Redis.
    """

    version: Number
    open: bool = True
    paused: bool = False
    lease_seconds: LeaseSeconds = 300
    max_attempts: Annotated[int, Meta(ge=1, le=MAX_ATTEMPTS)] = 5
    hide_counts: bool = False
    capacity: Annotated[int, Meta(ge=1, le=MAX_CAPACITY)] | None = None
    segments_version: Number = 0
    admission: bool = False
    rate_count: Annotated[int, Meta(ge=1, le=MAX_RATE)] | None = None
    rate_millis: Annotated[int, Meta(ge=1000, le=86_400_000)] | None = None
    rate_from: Number | None = None
    rate_counts: RateCounts = "offered"
    schedule_version: Number = 0
    schedule_since: Number = 0
    combine: Combine = "least"
    max_inside: Annotated[int, Meta(ge=1, le=MAX_CAPACITY)] | None = None
    offer_seconds: Annotated[int, Meta(ge=1, le=MAX_OFFER_SECONDS)] = 600
    pass_seconds: Annotated[int, Meta(ge=0, le=MAX_PASS_SECONDS)] = 0
    no_show: NoShow = "to_back"
    acceptance: Acceptance = "enter"
    max_claims: Annotated[int, Meta(ge=1, le=MAX_CAPACITY)] | None = None
    opens_millis: Number | UnsetType = UNSET
    closes_millis: Number | UnsetType = UNSET
    has_hours: bool | UnsetType = UNSET


Mode = Literal["create", "open", "configure", "finish_rebuild"]


class Init(OnWaitlist, frozen=True, kw_only=True):
    """Creates a waitlist in Redis, or gives new settings to a waitlist that Redis already has.

    The `mode` says what the caller expects:

    - `create`: the waitlist is new, so its empty queue is complete.
    - `open`: the waitlist exists, but Redis may have lost its queue. A rebuild must follow.
    - `configure`: Redis has the waitlist. Otherwise the request is refused.
    - `finish_rebuild`: the rebuild of this `epoch` is complete. The request is refused if Redis
      does not have the waitlist, because Redis must then have lost the queue again.

    A new queue continues the given `counters`, and every stamp (logical timestamp) in it is later
    than `floor_ticket`. Times of the schedule up to `scheduled_until` (Unix time in milliseconds)
    do not count, because the previous queue may have counted them.
    """

    settings: Settings
    mode: Mode
    epoch: Epoch
    floor_ticket: Ticket = 0
    counters: Counters = Counters()
    scheduled_until: Number = 0


@answers(Init)
class InitResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `created`, `exists`, or `warmed` if the request has completed a rebuild.

    `state` and `epoch` are the values after the request. Every stamp (logical timestamp) in this
    epoch is later than `epoch_start`.
    """

    state: State
    epoch: Epoch
    epoch_start: Ticket


class Signup(OnTaggedStay, frozen=True, kw_only=True):
    """Adds an entry at the end of the queue.

    `known_stamp` is the newest stamp (logical timestamp) in the customer's record, and the ticket
    of the new entry is later. Redis may not know `known_stamp`, because stamps come from the record
    while an entry is off the waitlist.
    """

    known_stamp: Ticket = 0


@answers(Signup)
class SignupResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `joined`, or `already` if the entry is already on the waitlist.

    `position` and `total` are None during a rebuild. `total` is also None if the waitlist hides its
    counts from customers. `pace` and `ready_ahead` have the same meaning as in PositionResult.
    `pace` is None for an imported entry, and if there is no position.
    """

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    position: int | None = None
    total: int | None = None
    pace: str | None = None
    ready_ahead: int | None = None


class EndOfStay(OnStay, frozen=True, kw_only=True):
    """Removes an entry from the waitlist for good, and updates the counters.

    If `ticket` is given, the entry is removed only if it has this ticket. A later signup of the
    same customer has a different ticket and is not affected. `known_stamp` is the newest stamp
    (logical timestamp) in the record. All stamps that Redis creates afterwards are later.
    """

    ticket: Ticket | None = None
    known_stamp: Ticket = 0


class Leave(EndOfStay, frozen=True, kw_only=True):
    """Removes the entry of a customer who leaves the waitlist.

    The customer is counted in `left`. If the customer leaves by declining an offer
    (`is_declining`), the customer is also counted in `declined`.
    """

    is_declining: bool = False
    is_erased: ClassVar = False
    unless_placed: ClassVar = False
    inside_until_millis: ClassVar = None

    @property
    def counts_as(self) -> Literal["left", "declined"]:
        return "declined" if self.is_declining else "left"


class Drop(EndOfStay, frozen=True, kw_only=True):
    """Removes an entry that is not waiting according to its record. It is not counted in `left`.

    - `unless_placed` keeps an entry that has a place in Redis.
    - `is_admitted` counts an admission that is in the record but not in Redis.
    - `is_erased` also deletes the idempotency keys of the entry's moves.
    - `inside_until_millis` is the time until which the customer is inside. The value 0 means that
      the customer is not inside.
    """

    unless_placed: bool = False
    is_admitted: bool = False
    is_erased: bool = False
    inside_until_millis: Number | None = None

    @property
    def counts_as(self) -> Literal["admitted", "nothing"]:
        return "admitted" if self.is_admitted else "nothing"


@answers(Leave, Drop)
class EndOfStayResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `left`, `dropped`, `absent` or `present`.

    - `absent`: the entry had already been removed, or had no place.
    - `present`: the entry has a place, and was kept because the request had `unless_placed`.

    `ended_stamp` is the logical timestamp of the removal. `ticket` is the ticket that the removed
    entry had in Redis, even if the request did not contain a ticket. It is None if Redis did not
    have the entry.
    """

    stamp: Ticket
    ended_stamp: Ticket
    ticket: Ticket | None = None


class Bump(OnEntry, frozen=True, kw_only=True):
    """Moves a waiting entry. Exactly one of `priority`, `places` and `to` must be given.

    - `priority` moves the entry to another priority, at the rank that its ticket has there.
    - `places` moves the entry ahead by this number of places, but not into a higher priority.
    - `to` moves the entry to the front of its priority (`front`), or to the end of the queue at
      priority 0 (`back`).

    If there is no free rank at the target, the entry goes into the nearest gap ahead of it. If
    `ticket` is given, the entry is moved only if it has this ticket.
    """

    ticket: Ticket | None = None
    once_key: OnceKey
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS
    priority: Priority | UnsetType = UNSET
    places: Places | UnsetType = UNSET
    to: Literal["front", "back"] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if sum(value is not UNSET for value in (self.priority, self.places, self.to)) != 1:
            raise ValueError("exactly one of priority, places and to is needed")


@answers(Bump)
class BumpResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `moved`, or `repeat` if an earlier request had the same `once_key`.

    - `moved_stamp` is the logical timestamp of the move. `stamp` is a new logical timestamp in each
      call.
    - `moved_by` is the number of places by which the entry moved ahead. It is negative if the entry
      moved back. It is None for a repeat if Redis does not know the distance, because the move was
      restored from the record.
    - `attempts` is the number of expired holds of the entry.
    - `expired_stamp` has the same meaning as in Claimed, and `expired_millis` is the deadline of
      the hold that expired.
    - `basis_stamp` has the same meaning as in Decision.
    """

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    moved_stamp: Ticket
    position: int
    total: int
    moved_by: int | None = None
    attempts: Number
    expired_stamp: Ticket
    expired_millis: Number
    basis_stamp: Ticket | None = None


class Position(OnEntry, frozen=True, kw_only=True):
    """Reads the position of an entry in the queue and within some of its segments."""

    segments: SegmentIds = ()
    segments_version: Number = 0


class SegmentPlace(Struct, frozen=True, kw_only=True):
    """The position of an entry within a segment, and the number of entries in the segment.

    The position is None if the entry is not in the segment.
    """

    position: int | None = None
    total: int


@answers(Position)
class PositionResult(Result, frozen=True, kw_only=True):
    """The `outcome` is the state of the entry: a PlaceState, or `absent`.

    - `position` is 1 plus the number of entries ahead of a waiting entry.
    - `total` is the number of waiting entries. Neither `position` nor `total` counts entries whose
      address is not verified.
    - `places` has the position within each segment of the request, in the same order.
    - `ready_ahead` is the number of ready entries ahead. It is None if every entry on the waitlist
      has always been ready.
    - `is_due` is true if the policy has slots due. The caller should then run the policy.
    - `pace` describes how fast the waitlist admits people. It is `unknown` if it has not been
      measured yet, and `paused` if the waitlist is paused.
    - `not_ready` has the reasons why the entry is not ready.
    - `confirm_by_millis` is the deadline by which the customer must confirm that they are still
      waiting. It is 0 if the customer was not asked.
    """

    total: int
    hide_counts: bool = False
    is_due: bool = False
    offered_until_millis: Number | None = None
    position: int | None = None
    rank: Rank | None = None
    ticket: Ticket | None = None
    places: tuple[SegmentPlace, ...] = ()
    pace: str | None = None
    ready_ahead: int | None = None
    not_ready: tuple[NotReady, ...] = ()
    confirm_by_millis: Number = 0


class DrawStamp(OnWaitlist, frozen=True, kw_only=True):
    """Draws a stamp (logical timestamp) for an event that is written only to the record.

    The stamp is later than the stamps of all decisions that Redis has made. It is also later than
    `known_stamp`, which is the newest stamp in the record. Stamps can also be drawn during a
    rebuild.
    """

    known_stamp: Ticket = 0


@answers(DrawStamp)
class DrawStampResult(Result, frozen=True, kw_only=True):
    stamp: Ticket


class EndWait(OnEntry, frozen=True, kw_only=True):
    """Ends the wait of a customer who did not confirm in time that they are still waiting.

    The `action` says whether the entry is parked, moves to the end of the queue, or leaves the
    waitlist. If it leaves, maintenance removes the entry afterwards. Redis checks `ticket`,
    `confirm_by_millis` and `settings_version` before it acts. A request that arrives late must not
    end the wait of a later signup, or follow settings that have changed in the meantime.
    """

    ticket: Ticket
    confirm_by_millis: Number
    action: Unanswered
    settings_version: Number


@answers(EndWait)
class EndWaitResult(Result, frozen=True):
    """The `outcome` is `ended` or `kept`.

    The entry is kept in any of these cases:

    - The customer was not asked, or was asked with a different deadline.
    - The deadline has not passed yet, according to the clock of Redis.
    - The entry is not waiting, or is not ready.
    - Redis has newer settings.
    """


class ListWaiting(OnWaitlist, frozen=True, kw_only=True):
    """Reads a page of the waiting entries in serving order.

    The page begins after the rank `after`, or at the position `first`. If `ready` is true, the page
    contains only ready entries. If `ready` is false, it contains only entries that are not ready.
    """

    after_id: ClassVar = None

    ready: bool | None = None

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
    """One page of waiting entries.

    `next_rank` is the value of `after` for the next page. It is None on the last page.
    """

    entries: list[WaitingEntry]
    total: int
    next_rank: Rank | None = None


class Stats(OnWaitlist, frozen=True, kw_only=True):
    """Counts the entries on a waitlist.

    The result also contains the ids of at most the first `near` ready entries.
    """

    near: Annotated[int, Meta(ge=0, le=MAX_PAGE)] = 0


@answers(Stats)
class StatsResult(Result, frozen=True, kw_only=True):
    """The counts of a waitlist. They are also available during a rebuild.

    - `state` is `hydrating` during a rebuild. In this state `waiting` is still growing.
    - `quota` is the number of customers who should still enter because an operator called `admit`
      with `refill`.
    - `not_ready` is the number of waiting entries that are not ready.
    - `unverified` is the number of entries whose address is not verified.
    - `asked` is the number of customers who have been asked whether they are still waiting.
    - `is_due` is true if maintenance has work to do because time has passed, for example because a
      pass has ended.
    - `last_stamp` is the stamp (logical timestamp) of the last change, and `clock_stamp` is the
      stamp that a change would get now.
    - `first` has the ids of the first ready entries.
    """

    state: State
    epoch: Epoch
    waiting: int
    counters: Counters
    head_ticket: Ticket | None = None
    offered: int
    parked: int
    inside: int
    oldest_parked_millis: Number | None = None
    segments_state: Literal["ready", "building"]
    pace: str
    quota: Number
    is_due: bool
    last_stamp: Number
    clock_stamp: Number
    beat: Number
    settings_version: Number
    scheduled_until: Number
    not_ready: Number
    unverified: Number
    asked: Number
    first: tuple[EntryId, ...] = ()


class Board(OnWaitlist, frozen=True, kw_only=True):
    """Reads a snapshot of the positions in the queue.

    All requests within five seconds get the same snapshot.
    """


Line = Literal["open", "paused", "full", "not_open_yet", "closed"]


@answers(Board)
class BoardResult(Result, frozen=True, kw_only=True):
    """A snapshot of the positions in the queue at the time `as_of_millis`.

    `cuts` is a JSON list of pairs in serving order. Each pair has a rank and the position of this
    rank. Each of the first 200 entries has a pair. After them, each position is at most 1% higher
    than the position before it, up to the last entry. If the waitlist hides its counts, the request
    fails with CountsHidden.
    """

    as_of_millis: Number
    total: Number
    line: Line
    cuts: str


class Restore(OnTaggedStay, frozen=True, kw_only=True):
    """Restores an entry in Redis at the place in its record, if `when` allows it.

    - `absent` restores the entry only if Redis does not have it.
    - `older` is used by the second pass of a rebuild. It also replaces the entry in Redis if Redis
      has made no later decision about the entry.
    - `unchanged` is used for repairs. It also replaces the entry in Redis if the entry still has
      the `expected` state and rank.

    During a rebuild, `epoch` must be the current epoch in Redis. `stamp` is the stamp (logical
    timestamp) of the newest decision in the record. `known_stamp` is the stamp of the newest event
    in the record, which may be later. All stamps that Redis creates afterwards are later than both
    stamps.
    """

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    known_stamp: Ticket = 0
    epoch: Epoch | None = None
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
    """The `outcome` is `restored` or `present`. The `state` is the state after the request."""

    state: str
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
