"""The messages about claims: holds, admissions, parked entries."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct, field

from waitlist_shared.contracts.common import (
    ClaimToken,
    EntryId,
    Filters,
    JoinId,
    LeaseSeconds,
    Number,
    OnceKey,
    OnEntry,
    OnWaitlist,
    Rank,
    Result,
    SegmentId,
    Ticket,
    answers,
)
from waitlist_shared.limits import (
    MAX_BATCH,
    MAX_CLAIM,
    MAX_DELAY_SECONDS,
    MAX_PAGE,
    ONCE_SECONDS,
)


class Claim(OnWaitlist, frozen=True, kw_only=True, tag="claim"):
    """Holds up to `count` entries from an end of the queue, or of a `segment`.

    With `filters`, ids of segments or EVERYONE, each entry is of the first that has a ready one.

    A repeat with the same `once_key`, a digest of the idempotency key, gets the same entries.
    `once_body` is a digest of the request: the same `once_key` with another body is refused.
    """

    count: Annotated[int, Meta(ge=1, le=MAX_CLAIM)] = 1
    lease_seconds: LeaseSeconds | None = None
    order: Literal["oldest", "newest"] = "oldest"
    once_key: OnceKey | None = None
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS
    once_body: OnceKey | None = None
    segment: SegmentId | None = None
    filters: Filters = ()
    segments_version: Number = 0


class Claimed(Struct, frozen=True, kw_only=True):
    """One held entry; `attempts` counts the holds of it that have expired before.

    A repeat also has the entries that are done, with a deadline of 0. `expired_stamp` is the stamp
    of the end of the hold before, `no_show_stamp` that of the end of the offer before, and
    `ended_millis` its deadline, if that end brought the entry back into the queue and the record
    may lack it, else 0. `stamp` is that of a hold that lasts; `basis_stamp` and `placed_stamp` as
    in Decision. `filter_index` is that of the filter by which the entry was taken, from 0.
    """

    entry_id: EntryId
    token: ClaimToken
    deadline_millis: Number
    attempts: Number
    rank: Rank
    ticket: Ticket
    expired_stamp: Ticket = 0
    no_show_stamp: Ticket = 0
    ended_millis: Number = 0
    stamp: Ticket | None = None
    basis_stamp: Ticket | None = None
    placed_stamp: Ticket | None = None
    filter_index: Number = 0


@answers(Claim)
class ClaimResult(Result, frozen=True, kw_only=True):
    """`outcome` is claimed, or repeat for a `once_key` seen before: then it took no entry.

    `limit` names the setting that kept the claim from taking as many entries as it asked for.
    """

    entries: list[Claimed]
    stamp: Ticket
    limit: Literal["max_claims"] | None = None


class OnHold(OnEntry, frozen=True, kw_only=True):
    """About a hold, by the caller that has its token."""

    token: ClaimToken


class HoldResult(Result, frozen=True, kw_only=True):
    """`basis_stamp` and `placed_stamp` as in Decision."""

    stamp: Ticket
    rank: Rank
    ticket: Ticket
    attempts: Number = 0
    basis_stamp: Ticket | None = None
    placed_stamp: Ticket | None = None


class Complete(OnHold, frozen=True, kw_only=True, tag="complete"):
    pass


@answers(Complete)
class CompleteResult(HoldResult, frozen=True, kw_only=True):
    """`outcome` is completed, or repeat where this token has admitted the customer before.

    `done_stamp` is that of the admission; `stamp` is new at each call. `inside_until_millis` is
    when the pass ends, 0 if the customer is not inside.
    """

    done_stamp: Ticket = 0
    inside_until_millis: Number = 0


class Release(OnHold, frozen=True, kw_only=True, tag="release"):
    """Puts the entry back into the queue; it is ready again after `delay_seconds`."""

    to: Literal["place", "back"] = "place"
    delay_seconds: Annotated[int, Meta(ge=0, le=MAX_DELAY_SECONDS)] = 0


@answers(Release)
class ReleaseResult(HoldResult, frozen=True, kw_only=True):
    """`outcome` is released, or repeat where this token has released before, at `stamp`.

    No position is known while the order is rebuilt, or of an entry that no longer waits.
    `delayed_until_millis` is when the entry is ready again, 0 without a delay.
    """

    position: int | None = None
    total: int | None = None
    delayed_until_millis: Number = 0


class Extend(OnHold, frozen=True, kw_only=True, tag="extend"):
    lease_seconds: LeaseSeconds | None = None


@answers(Extend)
class ExtendResult(HoldResult, frozen=True, kw_only=True):
    deadline_millis: Number


class Park(OnHold, frozen=True, kw_only=True, tag="park"):
    pass


@answers(Park)
class ParkResult(HoldResult, frozen=True, kw_only=True):
    """`outcome` is parked, or repeat where this token has parked before, at `stamp`."""

    parked_millis: Number


class Redrive(OnEntry, frozen=True, kw_only=True, tag="redrive"):
    """Puts an entry back into the queue that was parked at `parked_millis`, and not later.

    With 0 only a repeat is answered. A function of the version before sends none: its message is
    about the parking that it finds.
    """

    parked_millis: Number | None = None
    to: Literal["place", "back"] = "place"


@answers(Redrive)
class RedriveResult(HoldResult, frozen=True, kw_only=True):
    """`outcome` is redriven, or repeat of a redrive at `stamp` that the record may not have.

    No position is known of an entry that no longer waits. `worn_out_stamp` is that of the end of
    the last of too many holds, and `worn_out_millis` its deadline, if the record may not have that
    parking, else 0.
    """

    position: int | None = None
    total: int
    worn_out_stamp: Ticket = 0
    worn_out_millis: Number = 0


class Expire(OnWaitlist, frozen=True, kw_only=True, tag="expire"):
    """Ends expired holds, and lists the entries whose record may be behind.

    Their decisions are as old as `min_age_seconds` (by Redis' clock), or not later than the stamp
    `known_until`.
    """

    min_age_seconds: Annotated[int, Meta(ge=0, le=3600)] = 60
    known_until: Ticket = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_BATCH)] = MAX_BATCH


Verb = Literal[
    "released",
    "parked",
    "worn_out",
    "expired",
    "redriven",
    "bumped",
    "extended",
    "admitted",
    "offered",
    "declined",
    "withdrawn",
    "no_show",
    "no_show_parked",
    "abandoned",
    "unanswered_parked",
    "unanswered_to_back",
    "unanswered_left",
]


class Decision(Struct, frozen=True, kw_only=True):
    """One decision about an entry, and where it put the entry.

    `worn_out` is a parking after too many attempts, `no_show_parked` one after too many offers,
    `abandoned` the end of an offer after which the entry leaves the list, `unanswered_…` the end of
    a wait that the customer has not confirmed in time. `token` is that of the
    hold that began, or that a caller ended. `at` is the millisecond of a parking or an admission,
    the deadline of an offer, a withdrawn one too, of an extension, or of a hold or offer that has
    ended unused, or that at which a released entry is ready again. A parking after too many
    attempts or offers has the deadline of the last one.

    `ticket` names the stay. A server that took over may lack decisions which the record has, so
    `basis_stamp` is that of the newest decision about the entry that Redis knew before, 0 if it
    knew of none that the record may lack. `placed_stamp` is that of the newest decision by which
    the entry got `rank` and which the record may lack, else 0. An older private function sends
    neither.
    """

    verb: Verb
    token: str = ""
    stamp: Ticket
    rank: Rank
    ticket: Ticket
    attempts: Number = 0
    at: Number = 0
    basis_stamp: Ticket | None = None
    placed_stamp: Ticket | None = None


class Unsettled(Struct, frozen=True, kw_only=True):
    """Where an entry stands in Redis; `state` is waiting, held, parked, done or absent.

    `seen_stamp` is that of the last decision; `settle` sends it back. `time_millis` is the deadline
    or the time of parking. `decisions` has those that the record may lack, oldest first, without
    extensions and completions, which `state` shows. `stamp` is that of the hold or parking, 0 of a
    waiting entry.
    """

    entry_id: EntryId
    seen_stamp: Ticket
    state: str
    rank: Rank
    ticket: Ticket
    attempts: Number
    token: str
    time_millis: Number
    decisions: tuple[Decision, ...] = ()
    stamp: Ticket = 0


@answers(Expire)
class ExpireResult(Result, frozen=True, kw_only=True):
    """`is_all` is false where more holds have expired than one call ends."""

    stamp: Ticket
    is_all: bool = False
    max_attempts: int
    places: list[Unsettled]


class Settle(OnEntry, frozen=True, kw_only=True, tag="settle"):
    """Ends the reconciling of an entry: its record has the decision of `seen_stamp`.

    If that was an admission of the stay with this `ticket`, the stay has ended.
    """

    seen_stamp: Ticket
    join_id: JoinId | None = None
    ticket: Ticket | None = None


@answers(Settle)
class SettleResult(Result, frozen=True):
    """`outcome` is settled, or changed: seen again later."""


class ListOffQueue(OnWaitlist, frozen=True, kw_only=True, tag="shelf"):
    """Reads held entries by deadline, or parked ones by time: those behind the last one seen."""

    first: ClassVar = None

    which: Literal["held", "parked"]
    after: Number = field(default=0, name="after_time")
    after_id: EntryId | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE


class OffQueueEntry(Struct, frozen=True, kw_only=True):
    entry_id: EntryId
    time_millis: Number
    rank: Rank
    ticket: Ticket
    attempts: Number


@answers(ListOffQueue)
class ListOffQueueResult(Result, frozen=True, kw_only=True):
    entries: list[OffQueueEntry]
    total: int
