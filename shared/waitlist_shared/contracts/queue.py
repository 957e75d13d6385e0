"""The messages about the queue: its order, the places of entries, and its settings."""

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
    """How often each event has happened since the waitlist was created.

    `entered` counts the admissions through offers. `admitted` counts them too, and also the
    admissions through claims. `declined` counts declined offers, and `no_shows` counts offers that
    expired unused. An offer that an operator took back is not counted.
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
    """The settings that the scripts enforce. If two writes compete, the higher `version` wins.

    `segments_version` is the version of the last change of the declared segments. It is 0 if the
    waitlist declares no segments.

    If `admission` is true, the waitlist has an admission policy. The policy has a rate, a schedule,
    both, or only `max_inside`. The rate gives `rate_count` slots per `rate_millis`, from the
    millisecond `rate_from` on. If the policy has a rate and a schedule, `combine` says whether the
    smaller number of slots counts or the sum. `schedule_version` is the version of the last change
    of the schedule, which was made at the millisecond `schedule_since`. Both are 0 if there is no
    schedule. Only instants after `schedule_since` count. `rate_counts` says whether the rate gets
    back the slot of an offer that ends unused. `max_inside` limits the customers inside plus the
    open offers and claims, but it never refuses a claim. A customer is inside for `pass_seconds`
    after an admission, which is 0 without a policy. Claims hold at most `max_claims` entries at the
    same time.

    The waitlist takes signups from the millisecond `opens_millis` until `closes_millis`. If
    `has_hours` is true, the policy makes offers only within the hours that its messages name. A
    waitlist that does not use one of these three settings omits its field in messages and in Redis.
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
    """Makes a waitlist known to Redis. If Redis knows the waitlist, gives it new settings.

    The `mode` says in which situation the caller is:

    - `create` is for a new waitlist, whose empty order is complete.
    - `open` also accepts a waitlist whose order Redis has lost. A rebuild must follow.
    - `configure` refuses a waitlist that Redis does not know.
    - `finish_rebuild` ends the rebuild of this `epoch`, and also refuses an unknown waitlist.
      Otherwise a rebuild that ends just after Redis was lost would declare an empty order complete.

    A new order continues the `counters`, and all its stamps are later than `floor_ticket`. It does
    not count instants of the schedule up to `scheduled_until` (milliseconds since 1970), because
    the previous order may have counted them.
    """

    settings: Settings
    mode: Mode
    epoch: Epoch
    floor_ticket: Ticket = 0
    counters: Counters = Counters()
    scheduled_until: Number = 0


@answers(Init)
class InitResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `created`, `exists` or `warmed`. `state` and `epoch` are the current values.

    All stamps of this epoch are later than `epoch_start`.
    """

    state: State
    epoch: Epoch
    epoch_start: Ticket


class Signup(OnTaggedStay, frozen=True, kw_only=True):
    """Adds an entry at the end of the queue.

    The ticket of the entry is later than `known_stamp`, the newest stamp that the record has of the
    customer's earlier stays. Redis may not know that stamp, because the record draws its own stamps
    while an entry is off the list.
    """

    known_stamp: Ticket = 0


@answers(Signup)
class SignupResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `joined`, or `already` if the entry is on the list already.

    `position` and `total` are None during a rebuild. `total` is also None if the waitlist hides its
    counts from customers. `pace` and `ready_ahead` are as in PositionResult. `pace` is None if
    there is no position, and for an import.
    """

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    position: int | None = None
    total: int | None = None
    pace: str | None = None
    ready_ahead: int | None = None


class EndOfStay(OnStay, frozen=True, kw_only=True):
    """Takes an entry off the list for good and counts the end of its stay.

    If `ticket` is given, only the stay with this ticket ends, and the place of another stay of the
    same customer remains. All stamps that Redis draws afterwards are later than `known_stamp`, the
    newest stamp that the record has.
    """

    ticket: Ticket | None = None
    known_stamp: Ticket = 0


class Leave(EndOfStay, frozen=True, kw_only=True):
    """Ends a stay whose customer leaves the list.

    The stay is counted as left. If the customer leaves by declining an offer (`is_declining`), it
    is counted as declined too.
    """

    is_declining: bool = False
    is_erased: ClassVar = False
    unless_placed: ClassVar = False
    inside_until_millis: ClassVar = None

    @property
    def counts_as(self) -> Literal["left", "declined"]:
        return "declined" if self.is_declining else "left"


class Drop(EndOfStay, frozen=True, kw_only=True):
    """Removes an entry that does not wait according to its record. It is not counted as left.

    `is_admitted` counts the admission of an entry that is admitted in its record but not in Redis.
    `is_erased` also deletes the remembered moves of the entry. `inside_until_millis` sets the time
    until which the customer is inside, and 0 means that the customer is not inside. `unless_placed`
    ends only a stay that has no place in Redis.
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

    `absent` means that the stay had ended before, or had no place. `present` means that the stay
    goes on, because it has a place and the request had `unless_placed`.

    The stay ended at `ended_stamp`. `ticket` is the ticket of the place that the stay had, even if
    the request did not have a ticket. It is None if Redis had no place.
    """

    stamp: Ticket
    ended_stamp: Ticket
    ticket: Ticket | None = None


class Bump(OnEntry, frozen=True, kw_only=True):
    """Moves a waiting entry. Exactly one of `priority`, `places` and `to` must be given.

    `priority` moves the entry to the rank that its ticket has in that priority. `places` moves it
    ahead by that number of places, but not beyond the head of its priority. If there is no free
    rank between the two entries at the target, the entry goes into the nearest gap ahead of them.
    `to` is `front` for the head of the priority, or `back` for the end of the queue, where a signup
    would be added at priority 0.

    If `ticket` is given, only the stay with this ticket is moved.
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
    """The `outcome` is `moved`, or `repeat` if the `once_key` is known.

    `stamp` is new at each call, while `moved_stamp` is the stamp of the move. `moved_by` is the
    number of places by which the entry came nearer to the head. It is negative if the entry moved
    away from the head, and None for the repeat of a move that a restore wrote. `attempts` counts
    expired holds. `expired_stamp` is as in Claimed, and `expired_millis` is the deadline of that
    hold. `basis_stamp` is as in Decision.
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

    The state `done` means that the customer was admitted, and `no_show` that the entry is about to
    leave the list. If `is_due` is true, the policy has slots due, and the caller should start a
    run.

    The position of a waiting entry is 1 plus the number of entries ahead of it. Neither the
    position nor `total` counts entries whose address is not verified. `places` has the position
    within each segment of the request, in the same order. `ready_ahead` is the number of ready
    entries ahead. It is None on a list where every entry has always been ready.

    `pace` is the pace that the last heartbeat wrote. It is `unknown` if there is none, and `paused`
    on a paused list. `not_ready` says why the entry is not ready. `confirm_by_millis` is 0 unless
    the customer is asked whether they still wait.
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
    """Draws a stamp for an event of an entry on the list that only the record has.

    The stamp is later than all decisions of Redis, and later than `known_stamp`, the newest stamp
    that the record has. Stamps are also drawn during a rebuild.
    """

    known_stamp: Ticket = 0


@answers(DrawStamp)
class DrawStampResult(Result, frozen=True, kw_only=True):
    stamp: Ticket


class EndWait(OnEntry, frozen=True, kw_only=True):
    """Ends the wait of an entry whose customer has not confirmed in time that they still wait.

    The `action` says whether the entry is parked, moves to the end of the queue, or leaves the
    list. If it leaves, maintenance ends the stay afterwards. The request is only about the stay
    with this `ticket`, the question with this deadline, and the settings of this version. Later
    settings may ask no questions, or have a different action.
    """

    ticket: Ticket
    confirm_by_millis: Number
    action: Unanswered
    settings_version: Number


@answers(EndWait)
class EndWaitResult(Result, frozen=True):
    """The `outcome` is `ended` or `kept`.

    The entry is kept in four cases: it has no such question, it is not both waiting and ready, the
    deadline is not over by the clock of Redis, or Redis has later settings.
    """


class ListWaiting(OnWaitlist, frozen=True, kw_only=True):
    """Reads a page of the waiting entries in serving order.

    The page begins after the rank `after`, or at the position `first`. If `ready` is set, the page
    has only entries that are ready, or only entries that are not.
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
    """Counts the entries of a list.

    The result also has the ids of the first ready entries, and `near` says how many.
    """

    near: Annotated[int, Meta(ge=0, le=MAX_PAGE)] = 0


@answers(Stats)
class StatsResult(Result, frozen=True, kw_only=True):
    """The counts of a list. They are also available during a rebuild.

    During a rebuild `state` is `hydrating`, and `waiting` is still growing.

    `quota` is the number of customers who are still to enter through `admit` with `refill`.
    `not_ready` counts the waiting entries that are not ready. `unverified` counts the entries on
    the list whose address is not verified, and `asked` those whose customer is asked whether they
    still wait. `is_due` is true if there is work for maintenance that only the passing of time has
    caused. `last_stamp` is the stamp of the last change, and `clock_stamp` is the stamp that a
    change at this moment would get. `first` has the ids of the first ready entries.
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
    """Reads the positions of the queue at one moment.

    All requests within five seconds get the same positions.
    """


Line = Literal["open", "paused", "full", "not_open_yet", "closed"]


@answers(Board)
class BoardResult(Result, frozen=True, kw_only=True):
    """The positions of the queue at the moment `as_of_millis`.

    `cuts` is a JSON list of pairs, in serving order, each with a rank and its position. Each of the
    first 200 entries has a pair. After them, each position is at most 1% higher than the one
    before, up to the last entry. If the waitlist hides its counts, the request fails with
    CountsHidden.
    """

    as_of_millis: Number
    total: Number
    line: Line
    cuts: str


class Restore(OnTaggedStay, frozen=True, kw_only=True):
    """Restores an entry at the place that its record has, if `when` allows it.

    - `absent` restores only an entry that Redis does not have.
    - `older`, for the second pass of a rebuild, also replaces a place if Redis has made no later
      decision about the entry.
    - `unchanged`, for repairs, also replaces a place if it still is the `expected` one.

    `epoch` ties the restores of a rebuild to the order that is being rebuilt. `stamp` is the stamp
    of the newest recorded decision, and `known_stamp` is the stamp of the newest recorded event,
    which may be later. All stamps that Redis draws afterwards are later than both.
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
    """The `outcome` is `restored` or `present`. `state` is the present state of the entry."""

    state: str
    position: int | None = None
    total: int | None = None
    rank: Rank | None = None
    ticket: Ticket | None = None
    attempts: Number = 0


class Purge(OnWaitlist, frozen=True, kw_only=True):
    """Deletes all data that Redis has of a waitlist."""


@answers(Purge)
class PurgeResult(Result, frozen=True):
    pass
