"""The messages about offers, and about admitted customers who are still inside."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from waitlist_shared.contracts.claims import Claimed, HoldResult
from waitlist_shared.contracts.common import (
    ClaimToken,
    EntryId,
    Filters,
    InvitationId,
    Number,
    OfferSeconds,
    OnceKey,
    OnEntry,
    OnWaitlist,
    Result,
    SegmentId,
    Ticket,
    answers,
)
from waitlist_shared.limits import (
    MAX_ADMIT,
    MAX_DECLINES,
    MAX_HOURS,
    MAX_INSTANTS,
    MAX_PAUSE_SECONDS,
    ONCE_SECONDS,
)


class DueInstant(Struct, frozen=True, array_like=True):
    """A time in an admission schedule, and the number of customers to admit at that time."""

    millis: Number  # Unix time
    count: Number


class Hours(Struct, frozen=True, array_like=True):
    """A period in which a waitlist makes offers, in Unix milliseconds. The end is exclusive."""

    opens: Number
    closes: Number


class Invitee(Struct, frozen=True, array_like=True):
    """A person whom an operator has invited. The ticket identifies the person's signup."""

    entry_id: EntryId
    ticket: Ticket


class Admit(OnWaitlist, frozen=True, kw_only=True):
    """Makes offers to the first customers in the queue, to a given customer, or to the invitees of
    an invitation.
    """

    # The number of customers to offer a slot. If it is None, the admission policy decides the
    # number.
    count: Annotated[int, Meta(ge=0, le=MAX_ADMIT)] | None = None
    # If true, Redis makes offers until `count` customers have accepted one: whenever a customer
    # does not use their offer, the next customer gets one. A request with a `count` of 0 cancels an
    # earlier refill.
    refill: bool = False
    # How long each of this request's offers lasts, including later offers that `refill` causes. If
    # this field is None, the admission policy decides.
    offer_seconds: OfferSeconds | None = None
    entry_id: EntryId | None = None
    # If a ticket is given, Redis makes the offer only if the entry still has this ticket. A
    # customer who signs up again gets a different ticket.
    ticket: Ticket | None = None
    segment: SegmentId | None = None
    filters: Filters = ()
    segments_version: Number = 0
    once_key: OnceKey | None = None
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS
    once_body: OnceKey | None = None
    # The versions of the waitlist's settings and schedule that the caller has read. If Redis has
    # newer settings or a different schedule, it makes no offers.
    settings_version: Number = 0
    schedule_version: Number = 0
    # According to the waitlist's record, Redis has already added the scheduled slots up to the time
    # `counted_until`, and at most `counted_slots` of them are unused.
    counted_until: Number = 0
    counted_slots: Number = 0
    schedule_from: Number = 0
    # The scheduled times after `schedule_from` and before `next_instant`.
    instants: Annotated[tuple[DueInstant, ...], Meta(max_length=MAX_INSTANTS)] = ()
    next_instant: Number | None = None
    # The periods in which the waitlist makes offers, beginning with the current or next period.
    # Redis makes no offers at other times.
    hours: Annotated[tuple[Hours, ...], Meta(max_length=MAX_HOURS)] = ()
    # The invitees of an invitation. The first `count` of them who are still waiting get an offer
    # that ends at `offer_until_millis`. An invitation makes at most one offer to each invitee.
    invitees: Annotated[tuple[Invitee, ...], Meta(max_length=MAX_ADMIT)] = ()
    invitation: InvitationId | None = None
    offer_until_millis: Number = 0


@answers(Admit)
class AdmitResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `admitted`, or `repeat` if Redis has carried out the same request before.

    It is `behind` if Redis made no offers because the request was out of date.
    """

    # The entries whose customers got an offer or were admitted automatically. The `deadline_millis`
    # of an entry is the end of the customer's offer or pass.
    entries: tuple[Claimed, ...] = ()
    stamp: Ticket = 0
    # True if more offers may be due. The caller should then send another request.
    is_more: bool = False
    is_automatic: bool = False
    waiting: Number = 0
    # The time up to which Redis has added the scheduled slots. If the outcome is `behind`, the
    # caller must send the later scheduled times.
    scheduled_until: Number = 0
    # The number of scheduled slots that have been added but not used yet.
    scheduled: int = 0
    # The settings version in Redis, if it differs from the caller's.
    settings_version: Number = 0
    # How many entries this request has taken out of the queue. If the request is repeated, this is
    # still the original number.
    taken: Number = 0


class OnOffer(OnEntry, frozen=True, kw_only=True):
    """A request about an offer to a customer."""

    # The ticket of the signup to which the offer must belong.
    ticket: Ticket | None = None
    # The token of the offer, or an empty string if the caller does not know it. Several offers to
    # the same customer can have the same deadline, but their tokens differ.
    token: str = ""
    # The deadline of the offer that the request is about, or None for the offer that is open now.
    # If this is 0, the request changes nothing and only asks Redis whether it has carried out the
    # same request before.
    offered_until_millis: Number | None = None


class Enter(OnOffer, frozen=True, kw_only=True):
    """Accepts an offer and admits the customer."""


@answers(Enter)
class EnterResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `entered` or `repeat`."""

    token: ClaimToken
    done_stamp: Ticket
    inside_until_millis: Number


class Decline(OnOffer, frozen=True, kw_only=True):
    """Declines an offer. The slot can then be offered to the next entry."""

    # With `place`, the entry keeps its rank, but gets no offers for `pause_seconds`. After
    # `at_most` declines, each further decline moves the entry to the end of the queue instead.
    to: Literal["place", "back"] = "back"
    pause_seconds: Annotated[int, Meta(ge=0, le=MAX_PAUSE_SECONDS)] = 0
    at_most: Annotated[int, Meta(ge=0, le=MAX_DECLINES)] = 0
    # How many offers the customer has declined since signing up, according to the record.
    declines: Number = 0
    # A digest of the idempotency key. Redis recognises a repeated request by this digest.
    once_key: OnceKey | None = None
    once_seconds: Annotated[int, Meta(ge=1, le=ONCE_SECONDS)] = ONCE_SECONDS


@answers(Decline)
class DeclineResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `declined` or `repeat`."""

    token: str
    # The position is None while the queue is being rebuilt.
    position: int | None = None
    total: int | None = None
    # When the entry can get offers again, in Unix milliseconds, or 0 if there is no such delay.
    until_millis: Number = 0
    # How many offers the customer has declined since signing up, including this one.
    declines: Number = 0


class Withdraw(OnOffer, frozen=True, kw_only=True):
    """Takes back an offer. The entry returns to its former place in the queue."""

    hours: Annotated[tuple[Hours, ...], Meta(max_length=MAX_HOURS)] = ()


@answers(Withdraw)
class WithdrawResult(HoldResult, frozen=True, kw_only=True):
    """The `outcome` is `withdrawn` or `repeat`."""

    token: str
    # The position is None while the queue is being rebuilt.
    position: int | None = None
    total: int | None = None
    # The entry that got the next offer, or no entry if no further offer was due.
    entries: tuple[Claimed, ...] = ()
    is_automatic: bool = False


class Renew(OnEntry, frozen=True, kw_only=True):
    """Restarts the pass of an admitted customer whose admission was recorded late, so that the
    customer still gets the pass's full duration.
    """

    # The ticket of the signup through which the customer was admitted.
    ticket: Ticket
    # True if an operator claimed the entry before the customer was admitted. Such a customer may be
    # inside even if the `max_inside` limit is exceeded.
    is_claim: bool = False


@answers(Renew)
class RenewResult(Result, frozen=True, kw_only=True):
    """The `outcome` is `renewed`, or `absent` if Redis no longer has this admission."""

    # When the pass ends, or 0 if the waitlist issues no passes.
    inside_until_millis: Number = 0


class Exit(OnEntry, frozen=True, kw_only=True):
    """Records that a customer is no longer inside, so that another customer can be admitted."""

    # If a ticket is given, the customer must have been admitted with this ticket.
    ticket: Ticket | None = None


@answers(Exit)
class ExitResult(Result, frozen=True):
    """The `outcome` is `exited`, or `absent` if the customer was not inside."""
