"""The messages about offers, and about customers who are inside."""

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
    """One time in a schedule, and the number of slots that become due at this time.

    `millis` is the Unix time in milliseconds.
    """

    millis: Number
    count: Number


class Hours(Struct, frozen=True, array_like=True):
    """A period in which a policy makes offers. Both times are Unix times in milliseconds.

    The period does not include the millisecond `closes`.
    """

    opens: Number
    closes: Number


class Admit(OnWaitlist, frozen=True, kw_only=True):
    """Offers slots to the first entries of the queue or of a `segment`, or to one entry.

    If `entry_id` is given, only this entry gets an offer. If `ticket` is given too, the entry must
    still have this ticket. `filters`, `once_key` and `once_body` have the same meaning as in Claim.

    If `count` is None, the policy decides how many slots are offered. If `refill` is true, `count`
    is a quota, which is the number of customers who should enter. If a customer does not use an
    offer, the next entry gets an offer instead. A count of 0 ends the quota.

    The other fields are needed if the policy has a schedule or opening hours:

    - `settings_version` and `schedule_version` are the versions that the caller has read. Redis
      makes no offers if these settings are older than the settings in Redis, or if Redis has a
      different schedule.
    - `instants` are all times of the schedule from `schedule_from` on, and `next_instant` is the
      first time after them, in milliseconds.
    - `counted_until` and `counted_slots` come from the record of the waitlist. Redis has added the
      slots of the schedule up to `counted_until` to the slots that are due, and `counted_slots` of
      them are unused.
    - `hours` are the current or next opening period and the periods after it. The policy makes no
      offers at other times.
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
    offer, the deadline is the end of the pass. If `is_more` is true, more slots are due, and the
    caller should send another request. Redis has added the slots of the schedule up to
    `scheduled_until` to the slots that are due, and `scheduled` of them are unused.

    The outcome `behind` means that the request was out of date and no offer was made. There are two
    reasons. If Redis has added the slots of the schedule only up to `scheduled_until`, the caller
    must send the later times. If Redis has different settings than the caller, `settings_version`
    is the version in Redis.
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

    If `offered_until_millis` is None, the request is about the open offer. If it is 0, the caller
    knows of no offer, so Redis only checks whether the request repeats an earlier request. If
    `ticket` is given, the offer must belong to the signup with this ticket.
    """

    ticket: Ticket | None = None
    offered_until_millis: Number | None = None


class Enter(OnOffer, frozen=True, kw_only=True):
    """Accepts an offer."""


@answers(Enter)
class EnterResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `entered` or `repeat`.

    The other fields have the same meaning as in CompleteResult.
    """

    token: ClaimToken
    done_stamp: Ticket
    inside_until_millis: Number


class Decline(OnOffer, frozen=True, kw_only=True):
    """Declines an offer. The entry moves to the end of the queue, and the next entry gets the slot.

    `once_key` is a digest of the idempotency key. Redis uses it to recognize a repeated request,
    even if the entry has another offer by then.
    """

    once_key: OnceKey | None = None
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS


@answers(Decline)
class DeclineResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `declined` or `repeat`. The position is None during a rebuild."""

    token: str
    position: int | None = None
    total: int | None = None


class Withdraw(OnOffer, frozen=True, kw_only=True):
    """Takes back an offer. The entry returns to its former place in the queue.

    If a slot is due, the next entry gets an offer in the same call. `hours` has the same meaning as
    in Admit.
    """

    hours: Annotated[tuple[Hours, ...], Meta(max_length=MAX_HOURS)] = ()


@answers(Withdraw)
class WithdrawResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `withdrawn` or `repeat`. The position is None during a rebuild.

    `entries` contains the entry that got the next offer, if there is such an entry. For a repeat,
    `entries` is empty.
    """

    token: str
    position: int | None = None
    total: int | None = None
    entries: tuple[Claimed, ...] = ()
    is_automatic: bool = False


class Renew(OnEntry, frozen=True, kw_only=True):
    """Starts the pass of an admitted customer again, because the admission was recorded late.

    `ticket` identifies the signup that was admitted. The new pass begins now. If the first pass has
    already ended, the waitlist must have room for the customer. If there is no room, the next place
    that becomes free is reserved for the customer. A customer who was admitted through an
    operator's claim (`is_claim`) does not need room.
    """

    ticket: Ticket
    is_claim: bool = False


@answers(Renew)
class RenewResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `renewed`, or `absent` if Redis no longer has this admission.

    `inside_until_millis` is the time at which the pass ends. It is 0 if the waitlist issues no
    passes.
    """

    inside_until_millis: Number = 0


class Exit(OnEntry, frozen=True, kw_only=True):
    """Records that a customer is no longer inside, so that another customer can be admitted.

    If `ticket` is given, this happens only if the customer was admitted with this ticket.
    """

    ticket: Ticket | None = None


@answers(Exit)
class ExitResult(Result, frozen=True):
    """The `outcome` is `exited`, or `absent` if the customer was not inside."""
