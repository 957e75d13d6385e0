"""The messages about claims, about admitting claimed entries, and about parked entries, which are
set aside for an operator.
"""

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
    """Claims one given entry, or up to `count` entries from the front or back of the queue or of a
    segment, for a limited time.
    """

    entry_id: EntryId | None = None
    # If a ticket is given, the entry must still have this ticket. A customer who signs up again
    # gets a different ticket.
    ticket: Ticket | None = None
    count: Annotated[int, Meta(ge=1, le=MAX_CLAIM)] = 1
    lease_seconds: LeaseSeconds | None = None
    order: Literal["oldest", "newest"] = "oldest"
    # A digest of the idempotency key. A repeated request with the same digest returns the same
    # entries.
    once_key: OnceKey | None = None
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS
    # A digest of the request. Redis refuses a request with the same idempotency key and a different
    # digest.
    once_body: OnceKey | None = None
    segment: SegmentId | None = None
    # Which entries to claim, in order of preference. Each filter is a segment id, or EVERYONE for
    # the whole queue.
    filters: Filters = ()
    segments_version: Number = 0


class Claimed(Struct, frozen=True, kw_only=True):
    """An entry that was claimed, or whose customer got an offer."""

    entry_id: EntryId
    token: ClaimToken
    # The deadline of the claim or offer, or 0 if the customer has already been admitted.
    deadline_millis: Number
    # How many of the entry's earlier claims and offers have expired.
    attempts: Number
    rank: Rank
    ticket: Ticket
    # When the entry's previous claim expired, as a logical timestamp. It is 0 if no claim expired,
    # or if the record already contains this expiry.
    expired_stamp: Ticket
    # When the customer's previous offer expired, as a logical timestamp. It is 0 if no offer
    # expired, or if the record already contains this expiry.
    no_show_stamp: Ticket
    # The deadline of the expired claim or offer. It is 0 if no claim or offer expired, or if the
    # record already contains the expiry.
    ended_millis: Number
    # The logical timestamp of the claim or offer. It is None if the customer has been admitted.
    stamp: Ticket | None = None
    basis_stamp: Ticket
    placed_stamp: Ticket
    # The index of the filter that selected the entry, starting at 0.
    filter_index: Number


@answers(Claim)
class ClaimResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `claimed`, or `repeat` if an earlier request had the same `once_key`. A
    repeated request returns the entries of the original request.
    """

    entries: list[Claimed]
    stamp: Ticket
    # The name of the setting that prevented more entries from being claimed, or None.
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
    """The `outcome` is `completed`, or `repeat` if the customer has already been admitted with this
    token.
    """

    # The logical timestamp at which the customer was admitted. If the request is repeated,
    # `done_stamp` stays the same, but `stamp` is a new timestamp.
    done_stamp: Ticket
    # When the customer's pass ends, or 0 if the customer is not inside.
    inside_until_millis: Number


class Release(OnHold, frozen=True, kw_only=True):
    """Returns a claimed entry to the queue, at its old place or at the end.

    The entry is ready again after `delay_seconds`.
    """

    to: Literal["place", "back"] = "place"
    delay_seconds: Annotated[int, Meta(ge=0, le=MAX_DELAY_SECONDS)] = 0


@answers(Release)
class ReleaseResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `released`, or `repeat` if an earlier request with this claim token has
    already released the entry.

    If the outcome is `repeat`, `stamp` is the logical timestamp of the earlier release.
    """

    # The position, or None if the entry is no longer waiting or the queue is being rebuilt.
    position: int | None = None
    total: int | None = None
    # When the entry is ready again, or 0 if there is no delay.
    until_millis: Number = 0


class Extend(OnHold, frozen=True, kw_only=True):
    lease_seconds: LeaseSeconds | None = None


@answers(Extend)
class ExtendResult(HoldResult, frozen=True, kw_only=True):
    deadline_millis: Number


class Park(OnHold, frozen=True, kw_only=True):
    pass


@answers(Park)
class ParkResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `parked`, or `repeat` if an earlier request with this claim token has
    already parked the entry.

    If the outcome is `repeat`, `stamp` is the logical timestamp at which the entry was parked.
    """

    parked_millis: Number


class Redrive(OnEntry, frozen=True, kw_only=True):
    """Puts a parked entry, which was set aside for an operator, back into the queue, and resets its
    attempts to 0.
    """

    # When the entry was parked, according to the caller. If it was parked at a different time,
    # Redis refuses the request. If the value is 0, the request changes nothing and only asks Redis
    # whether it has carried out the same request before.
    parked_millis: Number | None = None
    to: Literal["place", "back"] = "place"


@answers(Redrive)
class RedriveResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `redriven`, or `repeat` if an earlier request has already returned the entry
    to the queue.

    If the outcome is `repeat`, `stamp` is the logical timestamp of the earlier request.
    """

    # The position is None if the entry is no longer waiting.
    position: int | None = None
    total: int
    # The logical timestamp at which the entry was parked, or 0 if it was not parked because of too
    # many attempts.
    worn_out_stamp: Ticket = 0
    # The deadline of the expired claim that caused the entry to be parked, or 0 if there is no such
    # claim.
    worn_out_millis: Number = 0


class Expire(OnWaitlist, frozen=True, kw_only=True):
    """Ends expired claims and offers, and lists entries whose records may be out of date."""

    # An entry is listed only if Redis has not changed it for at least this many seconds.
    min_age_seconds: Annotated[int, Meta(ge=0, le=3600)] = 60
    # Entries that Redis last changed at or before this logical timestamp are listed regardless of
    # `min_age_seconds`.
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
    """A decision that Redis made about an entry."""

    verb: Verb
    # The token of the claim that this decision began or ended.
    token: str = ""
    stamp: Ticket
    rank: Rank
    ticket: Ticket
    attempts: Number = 0
    # The deadline of a claim or offer, or when the entry was parked or admitted, in milliseconds.
    at: Number = 0
    # The logical timestamp of Redis' previous decision about the entry, or 0. If the record
    # contains a decision later than `basis_stamp` and earlier than `stamp`, Redis has lost that
    # decision.
    basis_stamp: Ticket | None = None
    # The logical timestamp of the last decision that changed the entry's rank. If the record
    # already contains that decision, the value is 0.
    placed_stamp: Ticket | None = None
    # When the entry is ready again, in Unix milliseconds, or 0 if there is no delay.
    until_millis: Number = 0
    # If the decision is a decline, the number of offers that the customer has declined since
    # signing up.
    declines: Number = 0


class DirtyPlace(Struct, frozen=True, kw_only=True):
    """An entry's state in Redis, which the entry's record may not contain yet."""

    entry_id: EntryId
    # The logical timestamp of the last decision about the entry. After recording the decision, the
    # caller sends this timestamp to Redis in a Settle request.
    seen_stamp: Ticket
    state: str  # a PlaceState, or `absent`
    rank: Rank
    ticket: Ticket
    attempts: Number
    token: str
    # When the claim, the offer or the customer's pass ends, or when the entry was parked.
    time_millis: Number
    # Redis' decisions that the record may not contain yet, oldest first. Decisions that only
    # extended or completed a claim are left out.
    decisions: tuple[Decision, ...] = ()
    # The logical timestamp of the decision that took the entry out of the queue, or 0 if the entry
    # is waiting.
    stamp: Ticket = 0


@answers(Expire)
class ExpireResult(Result, frozen=True, kw_only=True):
    """The entries whose records may be out of date."""

    stamp: Ticket
    # True if this call has ended everything that had expired: claims, offers, and reasons why
    # entries are not ready.
    is_all: bool = False
    max_attempts: int
    places: list[DirtyPlace]


class Settle(OnEntry, frozen=True, kw_only=True):
    """Deletes the pending decisions about an entry, because its record contains them now.

    If Redis has made another decision in the meantime, nothing is deleted. If the last decision in
    the record was an admission, Redis also removes the entry.
    """

    # The logical timestamp of the last decision in the record.
    seen_stamp: Ticket
    # The `join_id` of the signup, if its customer was admitted. Redis remembers it for a while, so
    # that a late message about the signup cannot put the entry back into the queue.
    join_id: JoinId | None = None
    ticket: Ticket | None = None


@answers(Settle)
class SettleResult(Result, frozen=True):
    """The `outcome` is `settled`, or `changed` if Redis has made a later decision about the entry.

    If the outcome is `changed`, the next Expire request lists the entry again.
    """


class ListOffQueue(OnWaitlist, frozen=True, kw_only=True):
    """Reads a page of the entries with a claim or an offer, or a page of the parked entries.

    The entries are sorted by their deadlines, or by when they were parked.
    """

    which: Literal["held", "parked"]
    # The time and id of the last entry on the previous page.
    after: Number = 0
    after_id: EntryId | None = None
    # How many entries to skip, if `after_id` is None.
    skip: Number = 0
    limit: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = MAX_PAGE


class OffQueueEntry(Struct, frozen=True, kw_only=True):
    entry_id: EntryId
    time_millis: Number
    rank: Rank
    ticket: Ticket
    attempts: Number
    # The logical timestamp at which the claim or offer began or at which the entry was parked.
    stamp: Ticket


@answers(ListOffQueue)
class ListOffQueueResult(Result, frozen=True, kw_only=True):
    entries: list[OffQueueEntry]
    total: int
