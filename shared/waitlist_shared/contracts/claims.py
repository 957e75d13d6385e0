"""The messages about claims, admissions of held entries, and parked entries."""

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

    `filters` are ids of segments, or EVERYONE, in order of preference. Each entry is taken from the
    first filter that matches a ready entry.

    A repeat with the same `once_key`, which is a digest of the idempotency key, returns the same
    entries. `once_body` is a digest of the request. A request with the same `once_key` and a
    different `once_body` is refused.
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
    """One claimed or offered entry. `attempts` counts its earlier holds that have expired.

    The result of a repeat also has the entries that are done, with the deadline 0.

    The end of the previous hold or offer may have brought the entry back into the queue, and the
    record may not know this end yet. In that case `expired_stamp` is the stamp at which the hold
    ended, or `no_show_stamp` the stamp at which the offer ended, and `ended_millis` is the deadline
    of the hold or offer. Otherwise all three are 0.

    `stamp` is the stamp of the hold, if the hold lasts. `basis_stamp` and `placed_stamp` are as in
    Decision. `filter_index` is the index, from 0, of the filter that selected the entry.
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
    """The `outcome` is `claimed`, or `repeat` if the `once_key` is known.

    A repeat takes no entries.

    If the claim took fewer entries than it asked for because of a setting, `limit` names the
    setting.
    """

    entries: list[Claimed]
    stamp: Ticket
    limit: Literal["max_claims"] | None = None


class OnHold(OnEntry, frozen=True, kw_only=True):
    """A request about a hold, from the caller that has its claim token."""

    token: ClaimToken


class HoldResult(Result, frozen=True, kw_only=True):
    """The fields that results about holds share.

    `basis_stamp` and `placed_stamp` are as in Decision.
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
    """The `outcome` is `completed`, or `repeat` if this token has admitted the customer before.

    `done_stamp` is the stamp of the admission, while `stamp` is new at each call.
    `inside_until_millis` is the time at which the pass ends. It is 0 if the customer is not inside.
    """

    done_stamp: Ticket
    inside_until_millis: Number


class Release(OnHold, frozen=True, kw_only=True):
    """Puts the entry back into the queue, where it is ready again after `delay_seconds`."""

    to: Literal["place", "back"] = "place"
    delay_seconds: Annotated[int, Meta(ge=0, le=MAX_DELAY_SECONDS)] = 0


@answers(Release)
class ReleaseResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `released`, or `repeat` if this token has released the entry at `stamp`.

    The position is unknown during a rebuild, and if the entry no longer waits.
    `delayed_until_millis` is the time at which the entry is ready again. It is 0 if there is no
    delay.
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
    """The `outcome` is `parked`, or `repeat` if this token has parked the entry at `stamp`."""

    parked_millis: Number


class Redrive(OnEntry, frozen=True, kw_only=True):
    """Puts an entry that was parked at `parked_millis` back into the queue.

    An entry that was parked again later is not touched. If the value is 0, the caller knows of no
    parking, so the request can only be answered as a repeat. If there is no value, the request is
    about the parking that it finds.
    """

    parked_millis: Number | None = None
    to: Literal["place", "back"] = "place"


@answers(Redrive)
class RedriveResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `redriven`, or `repeat` of a redrive at `stamp` that the record may lack.

    The position is unknown if the entry no longer waits. If the entry was parked after too many
    attempts, and the record may lack that parking, `worn_out_stamp` is the stamp at which the last
    hold ended and `worn_out_millis` is the deadline of that hold. Otherwise both are 0.
    """

    position: int | None = None
    total: int
    worn_out_stamp: Ticket = 0
    worn_out_millis: Number = 0


class Expire(OnWaitlist, frozen=True, kw_only=True):
    """Ends expired holds, and lists entries whose record may lack a decision.

    It lists an entry if the entry's last decision is at least `min_age_seconds` old by the clock of
    Redis, or not later than the stamp `known_until`.
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
    """One decision about an entry, with the place that the decision gave to the entry.

    These verbs need an explanation:

    - `worn_out`: the entry was parked after too many expired holds.
    - `no_show_parked`: the entry was parked after too many unused offers.
    - `abandoned`: an offer ended unused, and the entry is to leave the waitlist.
    - `unanswered_parked`, `unanswered_to_back`, `unanswered_left`: the wait ended because the
      customer did not confirm it in time.

    `token` is the token of the hold that began, or that a caller ended. The meaning of `at`, in
    milliseconds, depends on the verb. It is the time of a parking or an admission, the new deadline
    of an extended hold, or the time at which a released entry is ready again. For an offer, a
    withdrawn offer, and a hold or offer that ended unused it is the deadline. A parking after too
    many attempts or offers has the deadline of the last hold or offer.

    `ticket` identifies the stay. A Redis server that took over may lack decisions that the record
    has. Therefore `basis_stamp` is the stamp of the newest earlier decision about the entry that
    Redis knew. It is 0 if Redis knew none that the record may lack. `placed_stamp` is the stamp of
    the newest decision that gave the entry its `rank` and that the record may lack, or 0.
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
    """The place of an entry in Redis, for an entry whose record may lack decisions.

    `state` is `waiting`, `held`, `parked`, `done`, `absent` or another PlaceState. `seen_stamp` is
    the stamp of the last decision, and `settle` sends it back. `time_millis` is the deadline of a
    hold or the time of a parking. `decisions` are the decisions that the record may lack, oldest
    first. Extensions and completions are not among them, because `state` shows them. `stamp` is the
    stamp of the hold or parking. It is 0 if the entry waits.
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
    """The result of Expire. `is_all` is false if more holds have expired than one call ends."""

    stamp: Ticket
    is_all: bool = False
    max_attempts: int
    places: list[DirtyPlace]


class Settle(OnEntry, frozen=True, kw_only=True):
    """Ends the reconciling of an entry whose record now has the decision of `seen_stamp`.

    If that decision was an admission of the stay with this `ticket`, the stay has ended.
    """

    seen_stamp: Ticket
    join_id: JoinId | None = None
    ticket: Ticket | None = None


@answers(Settle)
class SettleResult(Result, frozen=True):
    """The `outcome` is `settled`, or `changed` if Redis has made a later decision about the entry.

    A changed entry is listed again by a later run.
    """


class ListOffQueue(OnWaitlist, frozen=True, kw_only=True):
    """Reads a page of the held and offered entries by deadline, or of the parked entries by time.

    The page begins after the last entry of the previous page.
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
