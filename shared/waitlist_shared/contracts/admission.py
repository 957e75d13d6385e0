"""The messages of admission by a policy: offers, and the customers inside."""

from typing import Annotated

from msgspec import Meta, Struct

from waitlist_shared.contracts.claims import Claimed, HoldResult
from waitlist_shared.contracts.common import (
    ClaimToken,
    EntryId,
    Filters,
    Number,
    OnceKey,
    OnEntry,
    OnWaitlist,
    Result,
    SegmentId,
    Ticket,
    answers,
)
from waitlist_shared.limits import MAX_ADMIT, MAX_HOURS, MAX_INSTANTS, ONCE_SECONDS


class DueInstant(Struct, frozen=True, array_like=True):
    """One time of a schedule, in milliseconds since 1970, with its places."""

    millis: Number
    count: Number


class Hours(Struct, frozen=True, array_like=True):
    """A time in which a policy offers, in milliseconds since 1970; it has closed at `closes`."""

    opens: Number
    closes: Number


class Admit(OnWaitlist, frozen=True, kw_only=True, tag="admit"):
    """Offers slots to the first entries of the queue, or of a `segment`, or one to `entry_id`.

    `filters` as in a Claim.

    With a `ticket` only to the stay of the entry that has it; a function of the version before
    sends none.

    Without a `count` the policy decides how many. With `refill` the count is a quota: so many are
    to enter, and unused offers go to the next ones. A count of 0 ends the quota. A caller that
    counts its schedule knows these settings, or newer ones: `settings_version`. Then `instants` are
    all of the schedule `schedule_version` between `schedule_from` and the last of them, and
    `next_instant` (milliseconds) is the one after them. By the record the instants up to
    `counted_until` are counted, and `counted_slots` of their slots were left. `hours` are the
    present or next ones of a policy that has hours, and those after them: outside of them it offers
    nothing. A repeat with the same `once_key` gets the same entries, as in a claim.
    """

    count: Annotated[int, Meta(ge=0, le=MAX_ADMIT)] | None = None
    refill: bool = False
    entry_id: EntryId | None = None
    ticket: Ticket | None = None
    segment: SegmentId | None = None
    filters: Filters = ()
    segments_version: Number = 0
    once_key: OnceKey | None = None
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS
    once_body: OnceKey | None = None
    settings_version: Number = 0
    schedule_version: Number = 0
    counted_until: Number = 0
    counted_slots: Number = 0
    schedule_from: Number = 0
    instants: Annotated[tuple[DueInstant, ...], Meta(max_length=MAX_INSTANTS)] = ()
    next_instant: Number | None = None
    hours: Annotated[tuple[Hours, ...], Meta(max_length=MAX_HOURS)] = ()


@answers(Admit)
class AdmitResult(Result, frozen=True, kw_only=True):
    """`outcome` is admitted, repeat, or behind.

    The deadline of an entry is that of its offer; where the policy admits without offers, it is the
    end of the pass. With `is_more` another run finds more places due. The instants of the schedule
    up to `scheduled_until` are counted, and `scheduled` of their slots are left.

    `behind` offers nothing. Either Redis has counted the schedule up to `scheduled_until` only, so
    the instants since are needed; or it has other settings than the caller: those of
    `settings_version`.
    """

    entries: tuple[Claimed, ...] = ()
    stamp: Ticket = 0
    is_more: bool = False
    is_automatic: bool = False
    waiting: Number = 0
    scheduled_until: Number = 0
    scheduled: int = 0
    settings_version: Number = 0


class OnOffer(OnEntry, frozen=True, kw_only=True):
    """About the offer that ends at `offered_until_millis`; 0 means none, only a repeat is answered.

    With a `ticket` only about one to the stay that has it. A function of the version before sends
    no `offered_until_millis`: its message is about the offer that is open when it arrives.
    """

    ticket: Ticket | None = None
    offered_until_millis: Number | None = None


class Enter(OnOffer, frozen=True, kw_only=True, tag="enter"):
    """Accepts an offer."""


@answers(Enter)
class EnterResult(HoldResult, frozen=True, kw_only=True):
    """`outcome` is entered, or repeat; otherwise as a CompleteResult."""

    token: ClaimToken
    done_stamp: Ticket = 0
    inside_until_millis: Number = 0


class Decline(OnOffer, frozen=True, kw_only=True, tag="decline"):
    """Gives an offered place to the next, and moves the entry to the end of the queue.

    `once_key`, a digest of the idempotency key, identifies a repeat when the next offer is open.
    """

    once_key: OnceKey | None = None
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS


@answers(Decline)
class DeclineResult(HoldResult, frozen=True, kw_only=True):
    """`outcome` is declined, or repeat. No position is known while the order is rebuilt."""

    token: str
    position: int | None = None
    total: int | None = None


class Withdraw(OnOffer, frozen=True, kw_only=True, tag="withdraw"):
    """Takes an offer back, the one that ends at this millisecond: its entry waits at its old place.

    Without it the one that is open; with 0 none is, and only a repeat is answered. The next one
    gets the slot in the same run, if a slot is due; `hours` as in an Admit.
    """

    hours: Annotated[tuple[Hours, ...], Meta(max_length=MAX_HOURS)] = ()


@answers(Withdraw)
class WithdrawResult(HoldResult, frozen=True, kw_only=True):
    """`outcome` is withdrawn, or repeat. No position is known while the order is rebuilt.

    `entries` has the one that got the slot, as an AdmitResult has it. A repeat has none.
    """

    token: str
    position: int | None = None
    total: int | None = None
    entries: tuple[Claimed, ...] = ()
    is_automatic: bool = False


class Renew(OnEntry, frozen=True, kw_only=True, tag="renew"):
    """Lets the time inside by the stay with this ticket begin now: its record lacked the admission.

    If that time was over, there must be room again; if there is none, the next place that becomes
    free is kept for the customer. `max_inside` does not limit an operator's claim.
    """

    ticket: Ticket
    is_claim: bool = False


@answers(Renew)
class RenewResult(Result, frozen=True, kw_only=True):
    """`outcome` is renewed, or absent: Redis does not have such an admission any more.

    `inside_until_millis` is when the pass ends, 0 on a list without passes.
    """

    inside_until_millis: Number = 0


class Exit(OnEntry, frozen=True, kw_only=True, tag="exit"):
    """Frees the place of a customer who was inside by the stay with this ticket.

    A function of the version before sends no ticket: its message frees any stay's place.
    """

    ticket: Ticket | None = None


@answers(Exit)
class ExitResult(Result, frozen=True):
    """`outcome` is exited, or absent: the customer was not inside."""
