"""The messages about the queue, the entries in it, and the waitlist's settings."""

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
    """How many times each kind of event has happened since the waitlist was created."""

    signed_up: Number = 0
    left: Number = 0
    admitted: Number = 0
    entered: Number = 0  # admissions through offers
    declined: Number = 0
    no_shows: Number = 0  # offers that expired unused


NoShow = Literal["keep_place", "to_back", "leave"]
Unanswered = Literal["park", "leave", "to_back"]
AfterMisses = Literal["leave", "park"]
Acceptance = Literal["enter", "automatic"]
RateCounts = Literal["offered", "entered"]
Combine = Literal["least", "sum"]


class Settings(Struct, frozen=True, kw_only=True):
    """The settings that the Redis scripts enforce.

    A field named after a setting contains that setting's value. The function `init_of` in
    waitlist_api/queue/messages.py sets all fields.
    """

    # If Redis already has settings with a higher version, it keeps them.
    version: Number
    open: bool = True
    paused: bool = False
    lease_seconds: LeaseSeconds = DEFAULT_LEASE_SECONDS
    max_attempts: Annotated[int, Meta(ge=1, le=MAX_ATTEMPTS)] = DEFAULT_MAX_ATTEMPTS
    hide_counts: bool = False
    capacity: Annotated[int, Meta(ge=1, le=MAX_CAPACITY)] | None = None
    # The settings version in which the segments last changed, or 0 if the waitlist has no segments.
    segments_version: Number = 0
    # True if the waitlist has an admission policy.
    admission: bool = False
    # The rate admits `rate_count` customers every `rate_millis` milliseconds, starting at
    # `rate_from`.
    rate_count: Annotated[int, Meta(ge=1, le=MAX_RATE)] | None = None
    rate_millis: Annotated[int, Meta(ge=1000, le=86_400_000)] | None = None
    rate_from: Number | None = None
    # Which offers count towards the rate. With `offered`, every offer counts. With `entered`, an
    # offer counts only if the customer accepts it.
    rate_counts: RateCounts = "offered"
    # The settings version in which the admission schedule last changed, or 0 if there is no
    # schedule.
    schedule_version: Number = 0
    # When the schedule was set, in Unix milliseconds. Redis makes no offers for scheduled times
    # before the schedule was set.
    schedule_since: Number = 0
    # How a rate and a schedule are combined if the policy has both. With `least`, the smaller of
    # the two numbers of admissions applies. With `sum`, the two numbers are added.
    combine: Combine = "least"
    # Redis makes offers only while fewer than this number of customers are inside or have a claim
    # or an offer. The number does not limit claims.
    max_inside: Annotated[int, Meta(ge=1, le=MAX_CAPACITY)] | None = None
    offer_seconds: OfferSeconds = DEFAULT_OFFER_SECONDS
    # How long an admitted customer counts as inside, or 0 if there is no admission policy.
    pass_seconds: Annotated[int, Meta(ge=0, le=MAX_PASS_SECONDS)] = 0
    no_show: NoShow = "to_back"
    # The number of missed offers after which an entry leaves or is parked. After earlier missed
    # offers, `no_show` decides what happens to the entry.
    misses_at_most: Annotated[int, Meta(ge=1, le=MAX_ATTEMPTS)] | UnsetType = UNSET
    misses_then: AfterMisses | UnsetType = UNSET
    # When admissions end. From then on, Redis makes no offers, and all earlier offers have ended.
    until_millis: Number | UnsetType = UNSET
    acceptance: Acceptance = "enter"
    # The maximum number of entries that can be claimed at the same time.
    max_claims: Annotated[int, Meta(ge=1, le=MAX_CAPACITY)] | None = None
    # The times at which the waitlist opens and closes for signups. A field is UNSET if the waitlist
    # has no such time.
    opens_millis: Number | UnsetType = UNSET
    closes_millis: Number | UnsetType = UNSET
    # True if the policy makes offers only during certain hours. In that case, each request that can
    # lead to offers contains these hours.
    has_hours: bool | UnsetType = UNSET
    # True if entries get call numbers. The call numbers are stored only in the records.
    has_call_numbers: bool | UnsetType = UNSET
    # How many seconds after the customer's last poll an entry stops getting offers.
    presence_seconds: (
        Annotated[int, Meta(ge=MIN_PRESENCE_SECONDS, le=MAX_PRESENCE_SECONDS)] | UnsetType
    ) = UNSET


# If Redis does not have the waitlist, `create` creates it, `open` begins a rebuild, and `configure`
# and `finish_rebuild` fail.
Mode = Literal["create", "open", "configure", "finish_rebuild"]


class Init(OnWaitlist, frozen=True, kw_only=True):
    """Creates a waitlist in Redis, gives it new settings, or ends the rebuild of its queue."""

    settings: Settings
    mode: Mode
    epoch: Epoch
    # If Redis creates a new queue, all its logical timestamps are later than `floor_ticket`.
    floor_ticket: Ticket = 0
    # If Redis creates a new queue, its counters start at these values.
    counters: Counters = Counters()
    # If Redis creates a new queue, it makes no offers for scheduled times up to this Unix time in
    # milliseconds, because the previous queue may already have made them.
    scheduled_until: Number = 0


@answers(Init)
class InitResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `created` if the request has created the waitlist in Redis, and `exists` if
    Redis already had it. It is `warmed` if the request has completed a rebuild.
    """

    state: State
    epoch: Epoch
    # All logical timestamps of this queue are later than `epoch_start`.
    epoch_start: Ticket


class Signup(OnTaggedStay, frozen=True, kw_only=True):
    """Adds an entry at the end of the queue. An entry that is already waiting keeps its place."""

    # The newest logical timestamp in the customer's record. The new entry gets a later ticket.
    known_stamp: Ticket = 0


@answers(Signup)
class SignupResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `joined`, or `already` if the entry is already on the waitlist."""

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    # The position and total are None while the queue is being rebuilt.
    position: int | None = None
    # The total is None during a rebuild, and also if the waitlist hides its counts from customers.
    total: int | None = None
    # How fast the waitlist admits people, as text. It is None for an imported entry.
    pace: str | None = None
    ready_ahead: int | None = None


class EndStay(OnStay, frozen=True, kw_only=True):
    """Removes an entry from the waitlist for good."""

    # If a ticket is given, Redis removes the entry only if it still has this ticket. A later signup
    # by the same customer has a different ticket.
    ticket: Ticket | None = None
    # The newest logical timestamp in the record. After this request, Redis creates only later
    # timestamps.
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
    """Removes an entry from Redis because its record says that it is not on the waitlist.

    The entry is not counted in `left`.
    """

    unless_placed: bool = False  # keep an entry that has a place in Redis
    is_admitted: bool = False  # count an admission that Redis has lost
    is_erased: bool = False  # also forget the moves of the entry
    # When the customer's time inside ends, or 0 if the customer is not inside. If this is None,
    # Redis leaves the customer's time inside unchanged.
    inside_until_millis: Number | None = None

    @property
    def counts_as(self) -> Literal["admitted", "nothing"]:
        return "admitted" if self.is_admitted else "nothing"


@answers(Leave, Drop)
class EndStayResult(Result, frozen=True, kw_only=True):
    """If the entry was removed, the `outcome` is `left` for a Leave request and `dropped` for a
    Drop request.

    The outcome is `absent` if Redis did not have the entry. It is `present` if a Drop request has
    kept the entry, because Redis still has it in the queue, claimed, offered or parked.
    """

    stamp: Ticket
    # The logical timestamp of the removal.
    ended_stamp: Ticket
    # The ticket of the removed entry, or None if Redis did not have the entry.
    ticket: Ticket | None = None


class Bump(OnEntry, frozen=True, kw_only=True):
    """Moves a waiting entry.

    The entry moves to a new `priority`, ahead by a number of `places`, or `to` the front of its
    priority or the end of the queue. Exactly one of these three fields must be given.
    """

    # If a ticket is given, the entry is moved only if it still has this ticket.
    ticket: Ticket | None = None
    once_key: OnceKey
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS
    # The new priority. The entry's ticket determines its rank within this priority.
    priority: Priority | UnsetType = UNSET
    # How many places the entry moves ahead. It does not move into a higher priority.
    places: Places | UnsetType = UNSET
    # With `front`, the entry moves to the front of its priority. With `back`, the entry moves to
    # the end of the queue and gets priority 0.
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
    # The logical timestamp at which the entry was moved. If the request is repeated, `moved_stamp`
    # stays the same, but `stamp` is a new timestamp.
    moved_stamp: Ticket
    position: int
    total: int
    # How many places the entry moved towards the front. The number is negative if the entry moved
    # towards the end. It may be None if the request was repeated.
    moved_by: int | None = None
    # How many of the entry's claims and offers have expired.
    attempts: Number
    # The logical timestamp at which the entry's previous claim expired, or 0 if the record already
    # contains this expiry.
    expired_stamp: Ticket
    expired_millis: Number  # the deadline of that claim
    basis_stamp: Ticket | None = None


class Position(OnEntry, frozen=True, kw_only=True):
    """Reads an entry's position in the queue and within some of its segments."""

    segments: SegmentIds = ()
    segments_version: Number = 0
    # True if the request comes from the customer. Such a request shows that the customer is
    # present.
    is_poll: bool = False


class SegmentPlace(Struct, frozen=True, kw_only=True):
    """An entry's position within a segment, and the number of waiting entries in this segment."""

    position: int | None = None  # None if the entry is not in the segment
    total: int


@answers(Position)
class PositionResult(Result, frozen=True, kw_only=True):
    """The `outcome` is the entry's state, or `absent` if Redis does not have the entry."""

    # The number of waiting entries, not counting entries with an unverified address.
    total: int
    hide_counts: bool = False
    # True if offers are due. The caller then sends an Admit request.
    is_due: bool = False
    offered_until_millis: Number | None = None
    # The token of the claim or offer, which is empty if the entry is waiting.
    token: str = ""
    # True if entries get call numbers. Redis does not store the numbers, so the caller reads the
    # customer's number from the record.
    has_call_numbers: bool = False
    # The entry's position, which is 1 plus the number of entries ahead of it. Entries with an
    # unverified address are not counted.
    position: int | None = None
    rank: Rank | None = None
    ticket: Ticket | None = None
    # The entry's positions in the requested `segments`, in the same order.
    places: tuple[SegmentPlace, ...] = ()
    # How fast the waitlist admits people, as text. It can also be `unknown` or `paused`.
    pace: str | None = None
    # The number of ready entries ahead of the entry, or None if all entries on the waitlist have
    # always been ready.
    ready_ahead: int | None = None
    # The reasons why the entry cannot be claimed or offered a slot yet.
    not_ready: tuple[NotReady, ...] = ()
    # The deadline by which the customer must confirm that they are still waiting, or 0 if the
    # customer was not asked.
    confirm_by_millis: Number = 0
    # The number of seconds without a poll after which the customer counts as away, or None if the
    # polls for this entry are not stored.
    presence_seconds: Number | None = None


class DrawStamp(OnWaitlist, frozen=True, kw_only=True):
    """Creates a logical timestamp (stamp) for an event that is written only to an entry's record.

    The new timestamp is later than the timestamps of all decisions that Redis has made.
    """

    # The newest logical timestamp in the record. The new stamp is later than this timestamp.
    known_stamp: Ticket = 0


@answers(DrawStamp)
class DrawStampResult(Result, frozen=True, kw_only=True):
    stamp: Ticket


class EndWait(OnEntry, frozen=True, kw_only=True):
    """Parks, removes or moves back the entry of a customer who did not confirm in time that they
    are still waiting.
    """

    # The ticket of the signup whose customer did not confirm in time. If the customer leaves and
    # signs up again before this request arrives, the new signup has a different ticket, so the
    # request does not affect it.
    ticket: Ticket
    confirm_by_millis: Number
    # `park` sets the entry aside for an operator. `to_back` moves it to the end of the queue.
    # `leave` takes it out of the queue.
    action: Unanswered
    # The settings version that the caller knows. If Redis has newer settings, it ignores the
    # request.
    settings_version: Number


@answers(EndWait)
class EndWaitResult(Result, frozen=True):
    """The `outcome` is `ended`, or `kept` if nothing changed because the request is out of date or
    the deadline has not passed.
    """


class ListWaiting(OnWaitlist, frozen=True, kw_only=True):
    """Reads a page of the waiting entries in serving order."""

    # If true, the page contains only ready entries. If false, it contains only entries that are not
    # ready.
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

    # The maximum number of ids in the result's `first` field.
    near: Annotated[int, Meta(ge=0, le=MAX_PAGE)] = 0


@answers(Stats)
class StatsResult(Result, frozen=True, kw_only=True):
    """A waitlist's counts, which are also available during a rebuild."""

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
    # The number of customers who must still enter to complete an operator's `admit` with `refill`.
    # Another `admit` with `refill` adds its `count` to this quota.
    quota: Number
    # The number of open offers that count towards the quota. If there is no quota, `quota_open`,
    # `quota_entered` and `quota_since` are 0.
    quota_open: int = 0
    # The number of customers who have accepted an offer that counts towards the quota.
    quota_entered: int = 0
    # When the quota began, in Unix milliseconds.
    quota_since: Number = 0
    # True if maintenance has work to do. For example, a pass may have ended since the last
    # maintenance run.
    is_due: bool
    # The logical timestamp of the last change.
    last_stamp: Number
    # The current time as a logical timestamp, which is the timestamp that a change would get now.
    clock_stamp: Number
    beat: Number
    settings_version: Number
    scheduled_until: Number
    not_ready: Number
    # The number of entries whose addresses are not verified.
    unverified: Number
    # The number of customers who have been asked whether they are still waiting.
    asked: Number
    # The number of entries whose customers have stopped polling.
    away: Number
    # The ids of the first ready entries.
    first: tuple[EntryId, ...] = ()


class Board(OnWaitlist, frozen=True, kw_only=True):
    """Returns a snapshot of the positions in the queue.

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
    # A JSON list of pairs of a rank and a position, in serving order. It lists each of the first
    # 200 entries. After that, it lists only some entries, so that each listed position is at most
    # 1% higher than the one before it.
    cuts: str


class Restore(OnTaggedStay, frozen=True, kw_only=True):
    """Restores an entry in Redis at the place in its record, unless the customer has left the
    waitlist or was admitted.

    `when` says what happens if Redis already has the entry.
    """

    rank: Rank
    ticket: Ticket
    # The timestamp of the last decision by Redis that was written to the entry's record.
    stamp: Ticket
    # The logical timestamp of the newest event in the record. After this request, Redis creates
    # only later timestamps.
    known_stamp: Ticket = 0
    # The id of the queue in Redis. A queue gets a new id when a rebuild begins, and each of the
    # rebuild's requests must contain this id.
    epoch: Epoch | None = None
    # If Redis already has the entry, `absent` keeps the entry in Redis as it is. `older` replaces
    # it unless Redis has newer decisions about it. `unchanged` replaces it only if it still has the
    # `expected` state and rank in Redis.
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
    """Deletes all of a waitlist's data from Redis."""


@answers(Purge)
class PurgeResult(Result, frozen=True):
    pass
