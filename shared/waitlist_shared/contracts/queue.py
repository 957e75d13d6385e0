"""The messages about the queue: order, places, settings."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import force_setattr

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


class Ping(Request, frozen=True, tag="ping"):
    """Checks that Redis answers."""


@answers(Ping)
class PingResult(Result, frozen=True):
    pass


class Counters(Struct, frozen=True, kw_only=True):
    """How often something has happened since the list was created.

    An offer ends in one of four ways: its customer has `entered` (the admitted others had claims),
    has `declined` it, is one of the `no_shows`, or the offer was taken away.
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
    """The settings that the scripts enforce; of two writes the higher `version` wins.

    `segments_version` is that of the last change of the declared segments; 0 without segments.

    With `admission` the list has a policy: `rate_count` slots per `rate_millis`, from the
    millisecond `rate_from` on; or slots by a schedule; or both, of which the fewest or the `sum`
    decides (`combine`). `schedule_version` is that of the last change of the schedule, 0 without
    a schedule. That change was made at the millisecond `schedule_since`, and the schedule counts
    from then on. `rate_counts` says whether the rate gets the slot of an offer back that ends
    unused. `max_inside` bounds offers and customers inside. A customer is inside for `pass_seconds`
    after an admission, 0 without a policy. Claims hold at most `max_claims` entries at once.

    Signups are taken from the millisecond `opens_millis` on, and until `closes_millis`. With
    `has_hours` the policy offers only within the hours that its messages have. A list without these
    has none of the fields, in messages and in Redis.
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
# A function of the version before sends, or reads, `state` and `only_if_known` instead of `mode`.
STATE_OF_MODE: dict[Mode, tuple[State, bool]] = {
    "create": ("warm", False),
    "open": ("hydrating", False),
    "configure": ("hydrating", True),
    "finish_rebuild": ("warm", True),
}
MODE_OF_STATE = {state: mode for mode, state in STATE_OF_MODE.items()}


class Init(OnWaitlist, frozen=True, kw_only=True, tag="init"):
    """Makes a waitlist known to Redis, or gives it new settings if it is.

    `create` is for a new waitlist, whose empty order is complete. `open` also takes an order that
    Redis has lost: its rebuild must follow. `configure` and `finish_rebuild` refuse an unknown
    waitlist: otherwise a rebuild that finishes just after Redis was lost would mark an empty order
    complete. `finish_rebuild` ends the rebuild of this `epoch`.
    A new order counts on from `counters`, and all its stamps are later than `floor_ticket`.
    A new order counts no instant of the schedule up to `scheduled_until` (milliseconds since 1970),
    because the order before may have counted it.
    """

    settings: Settings
    mode: Mode | None = None
    epoch: Epoch
    floor_ticket: Ticket = 0
    counters: Counters = Counters()
    scheduled_until: Number = 0
    state: State | None = None
    only_if_known: bool = False

    def __post_init__(self) -> None:
        if self.mode is None:
            if self.state is None:
                raise ValueError("mode is needed")
            force_setattr(self, "mode", MODE_OF_STATE[self.state, self.only_if_known])
        else:
            state, only_if_known = STATE_OF_MODE[self.mode]
            force_setattr(self, "state", state)
            force_setattr(self, "only_if_known", only_if_known)


@answers(Init)
class InitResult(Result, frozen=True, kw_only=True):
    """`outcome` is created, exists or warmed; `state` and `epoch` are those in force.

    Stamps of this epoch are later than `epoch_start`.
    """

    state: State
    epoch: Epoch
    epoch_start: Ticket = field(default=0, name="born")


class Signup(OnTaggedStay, frozen=True, kw_only=True, tag="signup"):
    """Adds an entry at the end of the queue.

    Its ticket is later than `known_stamp`, the newest stamp that the record has of the customer's
    stays before this one: the record draws stamps too, while an entry is off the list.
    """

    known_stamp: Ticket = 0


@answers(Signup)
class SignupResult(Result, frozen=True, kw_only=True):
    """`outcome` is joined or already; no position is known while the order is rebuilt.

    `total` is None then, and where customers are shown no counts. `pace` is as in PositionResult;
    None without a position, and for an import. `ready_ahead` as in PositionResult.
    """

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    position: int | None = None
    total: int | None = None
    pace: str | None = None
    ready_ahead: int | None = None


class EndOfStay(OnStay, frozen=True, kw_only=True):
    """Takes an entry off the list for good, and counts it.

    With the stay's `ticket`, the place of another stay of the same customer remains. All stamps
    that Redis draws afterwards are later than `known_stamp`, the newest one that the record has.
    """

    ticket: Ticket | None = None
    known_stamp: Ticket = 0


class Leave(EndOfStay, frozen=True, kw_only=True, tag="leave"):
    """Ends a stay that counts as left; as declined too if the customer `is_declining` an offer."""

    is_declining: bool = False
    is_erased: ClassVar = False
    unless_placed: ClassVar = False
    inside_until_millis: ClassVar = None

    @property
    def counts_as(self) -> Literal["left", "declined"]:
        return "declined" if self.is_declining else "left"


class Drop(EndOfStay, frozen=True, kw_only=True, tag="drop"):
    """Takes out an entry that the record does not have as waiting; it does not count as left.

    If the record has it as admitted and Redis does not, `is_admitted` counts the admission. With
    `is_erased` Redis also deletes the moves of the entry. With `inside_until_millis` the customer
    is inside until then, or is not, if it is 0. With `unless_placed` a stay that has a place goes
    on, and only one without a place ends.
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
    """`outcome` is left or dropped, or absent if the stay ended before or had no place.

    It is present if the stay goes on, because it has a place.

    The stay ended at `ended_stamp`. `ticket` is that of the place that the stay had, None if Redis
    had none; the request need not have known it.
    """

    stamp: Ticket
    ended_stamp: Ticket = field(default=0, name="dropped_stamp")
    ticket: Ticket | None = None


class Bump(OnEntry, frozen=True, kw_only=True, tag="bump"):
    """Moves an entry, by exactly one of `priority`, `places` and `to`.

    `priority` puts it where its ticket belongs among that priority. `places` puts it so many places
    ahead, not beyond the head of its priority; where no rank is free between the two entries at the
    target, in the nearest gap ahead. `front` is the head of its priority; `back` is behind all
    entries, at priority 0, as a signup would be.

    With a `ticket` only the stay that has it. A function of the version before sends none: its
    message moves the stay that it finds.
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
    """`outcome` is moved, or repeat for a `once_key` seen before.

    `stamp` is new at each call; `moved_stamp` is that of the move. `moved_by` is how many places
    nearer to the head the entry came, negative if farther; None for the repeat of a move that was
    restored. `attempts` counts expired holds. `expired_stamp` is as in Claimed, with the deadline
    `expired_millis`; `basis_stamp` as in Decision.
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
    expired_millis: Number = 0
    basis_stamp: Ticket | None = None


class Position(OnEntry, frozen=True, kw_only=True, tag="position"):
    """Reads the place in the queue, and within some segments of the entry."""

    segments: SegmentIds = ()
    segments_version: Number = 0


class SegmentPlace(Struct, frozen=True, kw_only=True):
    """A place within a segment; the position is None if the entry is not in it."""

    position: int | None = None
    total: int


@answers(Position)
class PositionResult(Result, frozen=True, kw_only=True):
    """`outcome` is waiting, held, offered, parked, done (admitted), no_show or absent.

    After a `no_show` the entry is about to leave the list. With `is_due` the policy has places due,
    and the caller lets a run take them. The position of a waiting entry is 1 + the number of
    entries ahead. Position and `total` leave out entries whose address is not verified. `places`
    has the positions within the segments of the request, in its order. `pace` is the last one of a
    heartbeat, `unknown` without one, or `paused`. `ready_ahead` counts the entries ahead that are
    ready, None on a list on which all are; `not_ready` says why this one is not.
    `confirm_by_millis` is 0 unless the customer is asked whether they still wait.
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


class DrawStamp(OnWaitlist, frozen=True, kw_only=True, tag="draw"):
    """Draws the stamp of an event that the record alone has of an entry on the list.

    It is later than `known_stamp`, the newest one that the record has, and than all decisions that
    Redis has made. It is drawn during a rebuild too.
    """

    known_stamp: Ticket = 0


@answers(DrawStamp)
class DrawStampResult(Result, frozen=True, kw_only=True):
    stamp: Ticket


class EndWait(OnEntry, frozen=True, kw_only=True, tag="end_wait"):
    """Ends the wait of an entry whose customer has not confirmed it in time.

    It is parked, goes to the end of the queue, or leaves: then maintenance ends the stay. The
    message means the stay with this `ticket` and the question with this deadline, under the
    settings of this version: later settings may ask nobody, or say another `action`.
    """

    ticket: Ticket
    confirm_by_millis: Number
    action: Unanswered
    settings_version: Number


@answers(EndWait)
class EndWaitResult(Result, frozen=True):
    """`outcome` is `ended`, or `kept`.

    An entry is kept if it has no such question, if it no longer waits to be taken, if the deadline
    is not over by Redis' clock, or if Redis has later settings.
    """


class ListWaiting(OnWaitlist, frozen=True, kw_only=True, tag="page"):
    """Reads entries in serving order: those behind a rank, or from the position `first` on.

    With `ready` those that are ready alone, or those that are not.
    """

    after_id: ClassVar = None

    ready: bool | None = None

    after: Rank | None = field(default=None, name="after_rank")
    first: Places | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE

    def __post_init__(self) -> None:
        if self.after is not None and self.first is not None:
            raise ValueError("at most one of after_rank and first is allowed")

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
    """The next page is `after` the rank `next_rank`; None is the end."""

    entries: list[WaitingEntry]
    total: int
    next_rank: Rank | None = None


class Stats(OnWaitlist, frozen=True, kw_only=True, tag="stats"):
    """Counts a list; with `near` the answer also has the first so many entries that are ready."""

    near: Annotated[int, Meta(ge=0, le=MAX_PAGE)] = 0


@answers(Stats)
class StatsResult(Result, frozen=True, kw_only=True):
    """Answered during a rebuild too; then `state` is hydrating and `waiting` still grows.

    `quota` is how many are still to enter by operators' `admit` with `refill`, `not_ready` how many
    of the waiting entries are not ready; `unverified` and `asked` count entries on the list whose
    address is not verified, and whose customer is asked if they still wait. `is_due` if time alone
    has left work for maintenance, also where an older private function answers; `last_stamp` is
    that of the last change, `clock_stamp` that of a change at this moment. `first` has
    the first entries that are ready, as many as the request's `near` says.
    """

    state: State
    epoch: Epoch
    waiting: int
    counters: Counters
    head_ticket: Ticket | None = None
    offered: int = 0
    parked: int = 0
    inside: int = 0
    oldest_parked_millis: Number | None = None
    segments_state: Literal["ready", "building"] = "ready"
    pace: str | None = None
    quota: Number = 0
    is_due: bool = True
    last_stamp: Number = 0
    clock_stamp: Number = 0
    beat: Number = 0
    settings_version: Number = 0
    scheduled_until: Number = 0
    not_ready: Number = 0
    unverified: Number = 0
    asked: Number = 0
    first: tuple[EntryId, ...] = ()


class Board(OnWaitlist, frozen=True, kw_only=True, tag="board"):
    """Reads positions of the queue at one moment: the same ones for every request of 5 seconds."""


Line = Literal["open", "paused", "full", "not_open_yet", "closed"]


@answers(Board)
class BoardResult(Result, frozen=True, kw_only=True):
    """`cuts` is JSON: pairs of a rank and its position as of `as_of_millis`, in order.

    The first 200 entries have one each. After them each position is at most 1% above the one
    before it, up to the last entry. Raises CountsHidden where the waitlist hides its counts.
    """

    as_of_millis: Number
    total: Number
    line: Line
    cuts: str


class Restore(OnTaggedStay, frozen=True, kw_only=True, tag="restore"):
    """Puts an entry back where its record has it, depending on what Redis has.

    `absent`: only if Redis does not have the entry. `older` (the second pass of a rebuild): also if
    Redis has decided nothing later. `unchanged` (a repair): also if the entry still is as
    `expected`. `epoch` ties a rebuild's restores to the order that it rebuilds. `stamp` is that of
    the newest recorded decision. `known_stamp` is that of the newest recorded event, which may be
    later: all stamps that Redis draws afterwards are later than both.
    """

    rank: Rank
    ticket: Ticket
    stamp: Ticket
    known_stamp: Ticket = 0
    epoch: Epoch | None = None
    when: Literal["absent", "older", "unchanged"] = "absent"
    expected: Seen | None = field(default=None, name="seen")
    once_key: OnceKey | None = None
    once_stamp: Ticket | None = None
    state: EntryState = "waiting"
    token: ClaimToken | None = None
    time_millis: Number = 0
    attempts: Number = 0
    # A function of the version before sends, or reads, this instead of `when`.
    overwrite: bool = False

    def __post_init__(self) -> None:
        if self.expected is not None:
            force_setattr(self, "when", "unchanged")
        elif self.overwrite:
            force_setattr(self, "when", "older")
        force_setattr(self, "overwrite", self.when == "older")


@answers(Restore)
class RestoreResult(Result, frozen=True, kw_only=True):
    """`outcome` is restored or present; `state` is where the entry is now."""

    state: str = "waiting"
    position: int | None = None
    total: int | None = None
    rank: Rank | None = None
    ticket: Ticket | None = None
    attempts: Number = 0


class Purge(OnWaitlist, frozen=True, kw_only=True, tag="purge"):
    """Deletes all that Redis has of a waitlist."""


@answers(Purge)
class PurgeResult(Result, frozen=True):
    pass
