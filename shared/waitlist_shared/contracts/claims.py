"""The messages about claims, admissions of claimed entries, and parked entries."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

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


class Claim(OnWaitlist, frozen=True, kw_only=True):
    """Claims up to `count` entries from one end of the queue or of a `segment`."""

    count: Annotated[int, Meta(ge=1, le=MAX_CLAIM)] = 1
    lease_seconds: LeaseSeconds | None = None
    order: Literal["oldest", "newest"] = "oldest"
    # A digest of the idempotency key. A repeated request gets the same entries again.
    once_key: OnceKey | None = None
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS
    # A digest of the request. Redis refuses a repeated request if its digest is different.
    once_body: OnceKey | None = None
    segment: SegmentId | None = None
    # Segment ids or EVERYONE, in order of preference.
    filters: Filters = ()
    segments_version: Number = 0


class Claimed(Struct, frozen=True, kw_only=True):
    """An entry that was claimed, or whose customer got an offer."""

    entry_id: EntryId
    token: ClaimToken
    # The deadline of the claim or offer. It is 0 if the customer has already been admitted.
    deadline_millis: Number
    # The number of earlier claims and offers of the entry that expired.
    attempts: Number
    rank: Rank
    ticket: Ticket
    # The logical timestamp at which the entry's previous claim expired, or 0 if the record needs no
    # update.
    expired_stamp: Ticket
    # The logical timestamp at which the entry's previous offer expired, or 0 if the record needs no
    # update.
    no_show_stamp: Ticket
    # The deadline of the expired claim or offer, or 0 if the record needs no update.
    ended_millis: Number
    # The logical timestamp of the claim or offer. It is None if the customer has been admitted.
    stamp: Ticket | None = None
    basis_stamp: Ticket
    placed_stamp: Ticket
    # The zero-based index of the filter that selected the entry.
    filter_index: Number


@answers(Claim)
class ClaimResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `claimed`, or `repeat` if an earlier request had the same `once_key`."""

    entries: list[Claimed]
    stamp: Ticket
    # The setting that kept the claim from taking as many entries as requested.
    limit: Literal["max_claims"] | None = None


class OnHold(OnEntry, frozen=True, kw_only=True):
    """A request about a claimed entry. The caller must send the claim token."""

    token: ClaimToken


class HoldResult(Result, frozen=True, kw_only=True):
    """The base class for the results of requests about claims and offers."""

    stamp: Ticket
    rank: Rank
    ticket: Ticket
    attempts: Number = 0
    basis_stamp: Ticket | None = None
    placed_stamp: Ticket | None = None


class Complete(OnHold, frozen=True, kw_only=True):
    pass


@answers(Complete)
class CompleteResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `completed`, or `repeat` if this token has already admitted the customer."""

    # The logical timestamp of the admission. `stamp` is a new logical timestamp in each call.
    done_stamp: Ticket
    # The time at which the customer's pass ends, or 0 if the customer is not inside.
    inside_until_millis: Number


class Release(OnHold, frozen=True, kw_only=True):
    """Puts a claimed entry back into the queue. The entry is ready again after `delay_seconds`."""

    to: Literal["place", "back"] = "place"
    delay_seconds: Annotated[int, Meta(ge=0, le=MAX_DELAY_SECONDS)] = 0


@answers(Release)
class ReleaseResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `released`, or `repeat` if this token has already released the entry.

    For a repeat, `stamp` is the logical timestamp of the earlier release.
    """

    # The position is None if the entry is no longer waiting, or while the queue is being rebuilt.
    position: int | None = None
    total: int | None = None
    # The time at which the entry is ready again, or 0 if there is no delay.
    delayed_until_millis: Number = 0


class Extend(OnHold, frozen=True, kw_only=True):
    lease_seconds: LeaseSeconds | None = None


@answers(Extend)
class ExtendResult(HoldResult, frozen=True, kw_only=True):
    deadline_millis: Number


class Park(OnHold, frozen=True, kw_only=True):
    pass


@answers(Park)
class ParkResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `parked`, or `repeat` if this token has already parked the entry.

    For a repeat, `stamp` is the logical timestamp at which the entry was parked.
    """

    parked_millis: Number


class Redrive(OnEntry, frozen=True, kw_only=True):
    """Puts a parked entry, which was set aside for an operator, back into the queue."""

    # The time at which the entry must have been parked. If the value is 0, Redis only looks for an
    # earlier copy of the request.
    parked_millis: Number | None = None
    to: Literal["place", "back"] = "place"


@answers(Redrive)
class RedriveResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `redriven`, or `repeat` if the entry was already put back into the queue.

    For a repeat, `stamp` is the logical timestamp of the earlier request.
    """

    # The position is None if the entry is no longer waiting.
    position: int | None = None
    total: int
    # The logical timestamp at which the entry was parked after too many attempts, or 0.
    worn_out_stamp: Ticket = 0
    # The deadline of the last of these attempts, or 0.
    worn_out_millis: Number = 0


class Expire(OnWaitlist, frozen=True, kw_only=True):
    """Ends expired claims and offers, and lists entries whose record may be out of date."""

    # Redis lists an entry if the last decision about the entry is at least this many seconds old.
    min_age_seconds: Annotated[int, Meta(ge=0, le=3600)] = 60
    # Redis also lists an entry if the last decision about it is not later than this logical
    # timestamp.
    known_until: Ticket = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_BATCH)] = MAX_BATCH


Verb = Literal[
    "released",
    "parked",
    "worn_out",  # the entry was parked after too many expired claims
    "expired",
    "redriven",
    "bumped",
    "extended",
    "admitted",
    "offered",
    "declined",
    "withdrawn",
    "no_show",
    "no_show_parked",  # the entry was parked after too many unused offers
    "abandoned",  # the entry will leave the waitlist because of an unused offer
    "unanswered_parked",  # the customer did not confirm in time that they are still waiting
    "unanswered_to_back",
    "unanswered_left",
]


class Decision(Struct, frozen=True, kw_only=True):
    """A decision that Redis has made about an entry."""

    verb: Verb
    # The token of the claim that the decision began or ended.
    token: str = ""
    stamp: Ticket
    rank: Rank
    ticket: Ticket
    attempts: Number = 0
    # A time in milliseconds: the deadline of a claim or an offer, the time of a parking or an
    # admission, or the time at which a released entry is ready again.
    at: Number = 0
    # The logical timestamp of the newest earlier decision that Redis knew, or 0. After a failover
    # it shows whether a decision was missing in Redis.
    basis_stamp: Ticket | None = None
    # The logical timestamp of the newest decision that changed the entry's rank, or 0 if the record
    # has that decision.
    placed_stamp: Ticket | None = None


class DirtyPlace(Struct, frozen=True, kw_only=True):
    """The state in Redis of an entry whose record may be out of date."""

    entry_id: EntryId
    # The logical timestamp of the last decision. The caller sends it back in Settle.
    seen_stamp: Ticket
    state: str  # a PlaceState, or `absent`
    rank: Rank
    ticket: Ticket
    attempts: Number
    token: str
    # The deadline of a claim or an offer, the time at which the entry was parked, or the time at
    # which the customer's pass ends.
    time_millis: Number
    # The decisions that the record may lack, oldest first. Extensions and completions are not
    # included.
    decisions: tuple[Decision, ...] = ()
    # The logical timestamp of the decision that took the entry out of the queue. It is 0 for a
    # waiting entry.
    stamp: Ticket = 0


@answers(Expire)
class ExpireResult(Result, frozen=True, kw_only=True):
    """The entries whose record may be out of date."""

    stamp: Ticket
    # False if more claims, offers or rests have expired than one call can handle.
    is_all: bool = False
    max_attempts: int
    places: list[DirtyPlace]


class Settle(OnEntry, frozen=True, kw_only=True):
    """Confirms that the record of an entry has the decision with the stamp `seen_stamp`.

    If that decision was an admission, Redis removes the entry.
    """

    seen_stamp: Ticket
    # Redis remembers the admitted signup, so that late messages cannot bring the entry back.
    join_id: JoinId | None = None
    ticket: Ticket | None = None


@answers(Settle)
class SettleResult(Result, frozen=True):
    """The `outcome` is `settled`, or `changed` if Redis has made a later decision about the entry.

    A changed entry is listed again by the next Expire request.
    """


class ListOffQueue(OnWaitlist, frozen=True, kw_only=True):
    """Reads a page of the entries with a claim or an offer, or a page of the parked entries.

    The page is sorted by deadline, or by the time at which the entries were parked.
    """

    which: Literal["held", "parked"]
    # The time and the id of the last entry on the previous page.
    after: Number = 0
    after_id: EntryId | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE


class OffQueueEntry(Struct, frozen=True, kw_only=True):
    entry_id: EntryId
    time_millis: Number
    rank: Rank
    ticket: Ticket
    attempts: Number
    # The logical timestamp at which the claim or offer began, or the entry was parked.
    stamp: Ticket


@answers(ListOffQueue)
class ListOffQueueResult(Result, frozen=True, kw_only=True):
    entries: list[OffQueueEntry]
    total: int
