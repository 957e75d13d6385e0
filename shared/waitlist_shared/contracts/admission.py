"""The messages of admission by a policy: offers, and the customers who are inside."""

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
    """One instant of a schedule, in milliseconds since 1970, and the number of its slots."""

    millis: Number
    count: Number


class Hours(Struct, frozen=True, array_like=True):
    """A period in which a policy makes offers, in milliseconds since 1970.

    The policy makes no offer at the millisecond `closes` or later.
    """

    opens: Number
    closes: Number


class Admit(OnWaitlist, frozen=True, kw_only=True):
    """Offers slots to the first entries of the queue or of a `segment`, or to one entry.

    `filters` work as in Claim. If `entry_id` is given, the slot is offered to this entry. If
    `ticket` is given too, the offer is made only to the stay with this ticket.

    If there is no `count`, the policy decides how many slots are offered. If `refill` is set, the
    count is a quota: that number of customers is to enter, and an unused offer goes to the next
    entry. A count of 0 ends the quota.

    If the policy has a schedule, the caller must have read the settings of `settings_version`,
    which must not be older than those in Redis. `instants` are all instants of the schedule
    `schedule_version` from `schedule_from` on, and `next_instant` (in milliseconds) is the first
    instant after them. The record of the waitlist says that the instants up to `counted_until` have
    been counted and that `counted_slots` of their slots were left.

    `hours` are the present opening hours of the policy, or the next ones, and those that follow.
    Outside its hours a policy offers nothing. A repeat with the same `once_key` returns the same
    entries, as in Claim.
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
    """The `outcome` is `admitted`, `repeat` or `behind`.

    The deadline of an entry is the end of its offer. If the policy admits customers without an
    offer, the deadline is the end of their pass. If `is_more` is true, another run would find more
    slots due. The instants of the schedule up to `scheduled_until` have been counted, and
    `scheduled` of their slots are left.

    The outcome `behind` means that no offer was made, for one of two reasons. Either Redis has
    counted the schedule only up to `scheduled_until`, so the caller must send the instants after
    it. Or Redis has different settings than the caller, and `settings_version` is their version.
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
    """A request about the offer that ends at `offered_until_millis`.

    If this value is 0, the caller knows of no offer, so the request can only be answered as a
    repeat. If there is no value, the request is about the offer that is open when it arrives. If
    `ticket` is given, the request is only about an offer to the stay with this ticket.
    """

    ticket: Ticket | None = None
    offered_until_millis: Number | None = None


class Enter(OnOffer, frozen=True, kw_only=True):
    """Accepts an offer."""


@answers(Enter)
class EnterResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `entered` or `repeat`. The other fields are as in CompleteResult."""

    token: ClaimToken
    done_stamp: Ticket
    inside_until_millis: Number


class Decline(OnOffer, frozen=True, kw_only=True):
    """Declines an offer. The slot goes to the next entry, and this entry to the end of the queue.

    `once_key` is a digest of the idempotency key. It identifies a repeat that arrives when the
    entry already has its next offer.
    """

    once_key: OnceKey | None = None
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS


@answers(Decline)
class DeclineResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `declined` or `repeat`. The position is unknown during a rebuild."""

    token: str
    position: int | None = None
    total: int | None = None


class Withdraw(OnOffer, frozen=True, kw_only=True):
    """Takes back the offer that ends at `offered_until_millis`. The entry waits at its old place.

    If there is no deadline, the open offer is taken back. If the deadline is 0, the caller knows of
    no offer, so the request can only be answered as a repeat. If a slot is due, the next entry gets
    it in the same run. `hours` are as in Admit.
    """

    hours: Annotated[tuple[Hours, ...], Meta(max_length=MAX_HOURS)] = ()


@answers(Withdraw)
class WithdrawResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `withdrawn` or `repeat`. The position is unknown during a rebuild.

    `entries` has the entry that got the slot, in the form of AdmitResult. It is empty for a repeat.
    """

    token: str
    position: int | None = None
    total: int | None = None
    entries: tuple[Claimed, ...] = ()
    is_automatic: bool = False


class Renew(OnEntry, frozen=True, kw_only=True):
    """Starts the time inside again for a customer whose admission was missing in the record.

    The time inside belongs to the stay with this ticket, and begins now. If the former time inside
    has ended already, the customer needs room again. If there is no room, the next place that
    becomes free is kept for the customer. `max_inside` does not limit the claims of operators
    (`is_claim`).
    """

    ticket: Ticket
    is_claim: bool = False


@answers(Renew)
class RenewResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `renewed`, or `absent` if Redis does not have this admission any more.

    `inside_until_millis` is the time at which the pass ends. It is 0 if the waitlist gives no
    passes.
    """

    inside_until_millis: Number = 0


class Exit(OnEntry, frozen=True, kw_only=True):
    """Frees the place of a customer who is inside through the stay with this ticket.

    If there is no ticket, the request frees the place of whichever stay is inside.
    """

    ticket: Ticket | None = None


@answers(Exit)
class ExitResult(Result, frozen=True):
    """The `outcome` is `exited`, or `absent` if the customer was not inside."""
