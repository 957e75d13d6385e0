"""Turn a decision by Redis about an entry into the entry's new status and events."""

from functools import partial

from msgspec.structs import replace

from waitlist_api.clock import iso
from waitlist_api.records.delay import with_delay
from waitlist_api.records.entry import EntryRecord, HistoryEvent, no_longer_near
from waitlist_api.records.lifecycle import status_after
from waitlist_api.records.transitions import OUT_OF_ATTEMPTS, Transition
from waitlist_shared import contracts as c
from waitlist_shared.ids import invitation_of

CUSTOMER, MAINTENANCE, POLICY = "customer", "maintenance", "policy"
NO_SHOW = "no_show"
# The reason that is recorded when a customer does not confirm in time that they are still waiting.
UNANSWERED = "unanswered"
# Maps decisions that set an entry aside to the reasons that are recorded for them.
REASONS: dict[c.Verb, str] = {
    "worn_out": OUT_OF_ATTEMPTS,
    "no_show_parked": OUT_OF_ATTEMPTS,
    "unanswered_parked": UNANSWERED,
}
# The decisions that Redis makes when a customer does not confirm in time that they are still
# waiting.
UNANSWERED_ENDS = ("unanswered_parked", "unanswered_to_back", "unanswered_left")
# The decisions that Redis makes about waiting entries, such as making an offer.
WAITING_VERBS = ("offered", "bumped", *UNANSWERED_ENDS)
# Decisions that end a claim or an offer at someone's request, before it expires. The record stores
# the decision's name in `end`.
HOLD_ENDS = ("released", "parked", "redriven", "declined", "withdrawn")


def events_of(decision: c.Decision) -> tuple[HistoryEvent, ...]:
    """Return the events that a decision by Redis adds to an entry's history.

    A decision always produces the same events, so it is safe to write them more than once.
    """
    stamp, at_millis = decision.stamp, decision.at
    match decision.verb:
        case "expired":
            return (expired_event(stamp, at_millis),)
        case "worn_out":
            return (attempts_exhausted_event(stamp, at_millis),)
        case "no_show" | "abandoned":
            return (no_show_event(stamp, at_millis),)
        case "no_show_parked":
            # The entry is parked because its customer has missed too many offers. Two events are
            # recorded, first `no_show` and then `parked`, so Redis reserves two consecutive
            # timestamps for this decision (lib/expiry.lua). `stamp` is the second of them.
            parked = attempts_exhausted_event(stamp, at_millis)
            return no_show_event(stamp - 1, at_millis), parked
        case "unanswered_parked":
            return (unanswered_event(decision, "parked"),)
        case "unanswered_to_back":
            return (replace(unanswered_event(decision, "bumped"), detail={"to": "back"}),)
        case "unanswered_left":
            # The `left` event is recorded later, when the entry leaves the waitlist.
            return ()
        case "offered":
            return (event_of(decision, POLICY),)
        case "declined":
            return (event_of(decision, CUSTOMER),)
        case _:
            return (event_of(decision),)


def with_offer(record: EntryRecord, until_millis: int, *, is_offer: bool = True) -> EntryRecord:
    """Return a copy of the record with a new claim or offer that ends at `until_millis`.

    The claim token stays the same.
    """
    hold = replace(
        record.hold, until_millis=until_millis, is_offer=is_offer, end="", parked_millis=None
    )
    return replace(record, hold=hold, pauses=replace(record.pauses, park_reason=""))


def event_of(decision: c.Decision, by: str = MAINTENANCE, reason: str = "") -> HistoryEvent:
    """Return an event with the same name as the decision by Redis, such as `bumped`."""
    detail = {}
    if decision.until_millis:
        detail = {"until": iso(decision.until_millis)}
    if decision.verb == "offered":
        detail = invitation_detail(decision.token)
    return HistoryEvent(
        stamp=decision.stamp, event=decision.verb, by=by, reason=reason, detail=detail
    )


def invitation_detail(token: str) -> dict[str, str]:
    """Return the event detail with the id of the offer's invitation. The detail is empty if the
    offer does not belong to an invitation.
    """
    invitation_id = invitation_of(token)
    return {"invitation": invitation_id} if invitation_id else {}


def expired_event(stamp: int, at_millis: int) -> HistoryEvent:
    """Return the event for a claim that expired at its deadline."""
    return HistoryEvent(stamp=stamp, at_millis=at_millis, event="expired", by=MAINTENANCE)


def no_show_event(stamp: int, at_millis: int) -> HistoryEvent:
    """Return the event for a customer who did not accept an offer before its deadline."""
    return HistoryEvent(stamp=stamp, at_millis=at_millis, event=NO_SHOW, by=POLICY)


def unanswered_event(decision: c.Decision, event: str) -> HistoryEvent:
    """Return the event for an entry whose customer did not confirm in time that they are still
    waiting.
    """
    return HistoryEvent(stamp=decision.stamp, event=event, by=MAINTENANCE, reason=UNANSWERED)


def reason_to_leave(*, is_silent: bool) -> tuple[str, str]:
    """Return the actor and the reason for the `left` event of a customer who must leave the
    waitlist.

    `is_silent` is true if the customer did not confirm in time that they are still waiting, and
    false if they did not accept an offer in time.
    """
    return (MAINTENANCE, UNANSWERED) if is_silent else (POLICY, NO_SHOW)


def previous_end_events(claim: c.Claimed) -> tuple[HistoryEvent, ...]:
    """Return a tuple with one event if the entry's previous claim or offer has expired. Otherwise
    return an empty tuple.
    """
    if claim.expired_stamp:
        return (expired_event(claim.expired_stamp, claim.ended_millis),)
    if claim.no_show_stamp:
        return (no_show_event(claim.no_show_stamp, claim.ended_millis),)
    return ()


def attempts_exhausted_event(stamp: int, at_millis: int) -> HistoryEvent:
    """Return the event for an entry that is set aside after too many attempts."""
    return HistoryEvent(
        stamp=stamp,
        at_millis=at_millis,
        event="parked",
        by=MAINTENANCE,
        reason=OUT_OF_ATTEMPTS,
    )


def transition_of(
    key: tuple[str, str],
    decision: c.Decision,
    events: tuple[HistoryEvent, ...],
    reason: str = "",
    entered_at: int = 0,
) -> Transition:
    """Return the transition that records a decision by Redis, such as an offer."""
    waitlist_id, entry_id = key
    return Transition(
        waitlist_id=waitlist_id,
        entry_id=entry_id,
        status=status_after(decision.verb),
        stamp=decision.stamp,
        rank=decision.rank,
        attempts=decision.attempts,
        ticket=decision.ticket,
        basis=decision.basis_stamp,
        placed=decision.placed_stamp,
        is_about_waiting=decision.verb in WAITING_VERBS,
        alter=partial(_altered, decision, REASONS.get(decision.verb, reason)),
        events=events,
        entered_at=entered_at,
    )


def _altered(decision: c.Decision, reason: str, record: EntryRecord) -> EntryRecord:
    """Return a copy of the record with the changes that follow from a decision by Redis.

    The status, the rank and the timestamps do not change here. `Transition` updates them.
    """
    hold = replace(record.hold, token=decision.token or record.hold.token)
    if decision.verb == "abandoned":
        return replace(record, hold=replace(hold, until_millis=None, end=decision.verb))
    if decision.verb == "unanswered_left":
        return replace(record, hold=replace(hold, until_millis=None))
    if decision.verb == "admitted":
        end = replace(record.end, admitted_millis=decision.at)
        return replace(record, hold=hold, end=end)
    if decision.verb == "extended":
        return replace(record, hold=replace(hold, until_millis=decision.at))
    if decision.verb == "offered":
        return with_offer(replace(record, hold=hold), decision.at)
    is_parked = status_after(decision.verb) == "parked"
    parked_millis = decision.at if is_parked else None
    hold = replace(hold, until_millis=None, is_offer=False, parked_millis=parked_millis)
    if decision.verb not in WAITING_VERBS:
        # Decisions about a waiting entry do not end a claim or an offer, so they leave `end`
        # unchanged.
        hold = replace(hold, end=decision.verb if decision.verb in HOLD_ENDS else "")
    pauses = replace(record.pauses, park_reason=reason if is_parked else "")
    record = replace(record, hold=hold, pauses=pauses)
    if is_parked or decision.verb == "redriven":
        record = no_longer_near(record)
    if decision.verb in UNANSWERED_ENDS:
        record = replace(record, question=record.question.closed())
    return with_delay(decision, record)
