"""The messages about claims, admissions of claimed entries, and parked entries."""

from typing import Annotated, ClassVar, Literal

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
    """Claims up to `count` entries from one end of the queue or of a `segment`.

    Each of the `filters` is a segment id or EVERYONE. Entries that match the first filter are
    claimed first, then entries that match the second filter, and so on.

    `once_key` is a digest of the idempotency key, and `once_body` is a digest of the request. A
    repeated request with the same `once_key` returns the same entries. If its `once_body` is
    different, the request is refused.
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
    """An entry that was claimed or that was offered a slot.

    `attempts` counts the earlier holds of the entry that have expired. If a claim is repeated, the
    result also contains the entries whose customers have been admitted in the meantime. Their
    deadline is 0.

    The previous hold or offer of the entry may have expired before the record was updated. In that
    case `expired_stamp` is the logical timestamp at which the hold ended, or `no_show_stamp` is the
    logical timestamp at which the offer ended, and `ended_millis` is the deadline of the hold or
    offer. Otherwise all three fields are 0.

    `stamp` is the logical timestamp of the current claim or offer. It is None if the customer has
    been admitted. `basis_stamp` and `placed_stamp` have the same meaning as in Decision.
    `filter_index` is the zero-based index of the filter that selected the entry.
    """

    entry_id: EntryId
    token: ClaimToken
    deadline_millis: Number
    attempts: Number
    rank: Rank
    ticket: Ticket
    expired_stamp: Ticket
    no_show_stamp: Ticket
    ended_millis: Number
    stamp: Ticket | None = None
    basis_stamp: Ticket
    placed_stamp: Ticket
    filter_index: Number


@answers(Claim)
class ClaimResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `claimed`, or `repeat` if an earlier request had the same `once_key`.

    A repeat claims no more entries. If a setting of the waitlist prevented the claim from taking as
    many entries as requested, `limit` names this setting.
    """

    entries: list[Claimed]
    stamp: Ticket
    limit: Literal["max_claims"] | None = None


class OnHold(OnEntry, frozen=True, kw_only=True):
    """A request about a claimed entry. The caller must send the claim token."""

    token: ClaimToken


class HoldResult(Result, frozen=True, kw_only=True):
    """The base class for the results of requests about claims and offers.

    `basis_stamp` and `placed_stamp` have the same meaning as in Decision.
    """

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
    """The `outcome` is `completed`, or `repeat` if this token has already admitted the customer.

    `done_stamp` is the logical timestamp of the admission. `stamp` is a new logical timestamp in
    each call. `inside_until_millis` is the time at which the customer's pass ends. It is 0 if the
    customer is not inside.
    """

    done_stamp: Ticket
    inside_until_millis: Number


class Release(OnHold, frozen=True, kw_only=True):
    """Puts a claimed entry back into the queue. The entry is ready again after `delay_seconds`."""

    to: Literal["place", "back"] = "place"
    delay_seconds: Annotated[int, Meta(ge=0, le=MAX_DELAY_SECONDS)] = 0


@answers(Release)
class ReleaseResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `released`, or `repeat` if this token has already released the entry.

    For a repeat, `stamp` is the logical timestamp of the earlier release. `position` and `total`
    are None during a rebuild or if the entry is no longer waiting. `delayed_until_millis` is the
    time at which the entry is ready again. It is 0 if there is no delay.
    """

    position: int | None = None
    total: int | None = None
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
    """Puts a parked entry back into the queue.

    If `parked_millis` is given, the entry must have been parked at this time. If the entry has been
    parked again at a later time, the request does not change the entry. The value 0 means that the
    caller knows of no parking, so the request only looks for an earlier redrive.
    """

    parked_millis: Number | None = None
    to: Literal["place", "back"] = "place"


@answers(Redrive)
class RedriveResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `redriven`, or `repeat` if the entry was already put back into the queue.

    For a repeat, `stamp` is the logical timestamp of the earlier redrive. `position` is None if the
    entry is no longer waiting.

    The entry may have been parked after too many attempts, and the record may not contain this yet.
    In that case `worn_out_stamp` is the logical timestamp at which the last hold ended, and
    `worn_out_millis` is the deadline of that hold. Otherwise both fields are 0.
    """

    position: int | None = None
    total: int
    worn_out_stamp: Ticket = 0
    worn_out_millis: Number = 0


class Expire(OnWaitlist, frozen=True, kw_only=True):
    """Ends expired holds, and lists entries whose record may lack decisions made by Redis.

    An entry is listed if its last decision is at least `min_age_seconds` old, or if the stamp
    (logical timestamp) of this decision is not later than `known_until`.
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
    """One decision that Redis has made about an entry.

    These verbs need an explanation:

    - `worn_out`: the entry was parked after too many expired holds.
    - `no_show_parked`: the entry was parked after too many unused offers.
    - `abandoned`: the customer did not use an offer, and the entry will leave the waitlist.
    - `unanswered_parked`, `unanswered_to_back`, `unanswered_left`: the customer did not confirm in
      time that they are still waiting.

    `token` is the claim token of the hold that a caller began or ended. `ticket` identifies
    the signup that the decision is about.

    The meaning of `at`, a time in milliseconds, depends on the verb:

    - For an entry that a caller parked or admitted, it is the time at which that happened.
    - For an extended hold, it is the new deadline.
    - For a released entry, it is the time at which the entry is ready again.
    - For an offer, and for a hold or an offer that expired, it is the deadline.

    After a failover, Redis may lack decisions that the record has. To detect this, a decision
    contains two logical timestamps. `basis_stamp` belongs to the newest earlier decision about the
    entry that Redis knew. `placed_stamp` belongs to the newest decision that changed the entry's
    rank. Each of them is 0 if the record has all decisions of this kind.
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


class DirtyPlace(Struct, frozen=True, kw_only=True):
    """The state in Redis of an entry whose record may lack decisions.

    - `seen_stamp` is the logical timestamp of the last decision. The caller sends it back in
      Settle.
    - `state` is a PlaceState, or `absent`.
    - `time_millis` is the deadline of a hold or an offer, the time at which the entry was parked,
      or the time at which the pass of an admitted customer ends.
    - `decisions` are the decisions that the record may lack, oldest first. Extensions and
      completions are not included, because the other fields show them.
    - `stamp` is the logical timestamp of the decision that took the entry out of the queue. It is 0
      for a waiting entry.
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
    """The entries whose record may lack decisions made by Redis.

    `is_all` is false if there are more expired holds, or more rests that have ended, than one call
    can handle.
    """

    stamp: Ticket
    is_all: bool = False
    max_attempts: int
    places: list[DirtyPlace]


class Settle(OnEntry, frozen=True, kw_only=True):
    """Confirms that the record of an entry has the decision with the stamp `seen_stamp`.

    If that decision was an admission, Redis removes the entry. `join_id` and `ticket` identify the
    admitted signup, so that late messages cannot bring it back.
    """

    seen_stamp: Ticket
    join_id: JoinId | None = None
    ticket: Ticket | None = None


@answers(Settle)
class SettleResult(Result, frozen=True):
    """The `outcome` is `settled`, or `changed` if Redis has made a later decision about the entry.

    A changed entry is listed again by the next Expire request.
    """


class ListOffQueue(OnWaitlist, frozen=True, kw_only=True):
    """Reads a page of the held and offered entries, or a page of the parked entries.

    Held and offered entries are sorted by deadline, and parked entries by the time at which they
    were parked. `after` and `after_id` are the time and the id of the last entry on the previous
    page.
    """

    first: ClassVar = None

    which: Literal["held", "parked"]
    after: Number = 0
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
