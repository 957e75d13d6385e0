"""Maps Redis' decisions to the record: the new status, and the event."""

from typing import Any

from msgspec.structs import replace

from waitlist_api.clock import iso
from waitlist_api.records.entry import NO_LONGER_NEAR, HistoryEvent
from waitlist_api.records.lifecycle import status_after
from waitlist_api.records.transitions import OF_QUESTION, OUT_OF_ATTEMPTS, Transition
from waitlist_shared import contracts as c

CUSTOMER, MAINTENANCE, POLICY = "customer", "maintenance", "policy"
NO_SHOW = "no_show"
# The reason of what ends a wait that the customer has not confirmed.
UNANSWERED = "unanswered"
# Why maintenance records a parking.
REASONS: dict[c.Verb, str] = {
    "worn_out": OUT_OF_ATTEMPTS,
    "no_show_parked": OUT_OF_ATTEMPTS,
    "unanswered_parked": UNANSWERED,
}
# Verbs that take an entry from the queue, or move it there.
UNANSWERED_ENDS = ("unanswered_parked", "unanswered_to_back", "unanswered_left")
OF_WAITING = ("offered", "bumped", *UNANSWERED_ENDS)
# Verbs by which a caller ends a hold or a parking without admitting.
HOLD_ENDS = ("released", "parked", "redriven", "declined", "withdrawn")


def events_of(decision: c.Decision) -> tuple[HistoryEvent, ...]:
    """Return the events of a decision that no request recorded: the same at every write."""
    stamp, at_millis = decision.stamp, decision.at
    match decision.verb:
        case "expired":
            return (expired_event(stamp, at_millis),)
        case "worn_out":
            return (attempts_exhausted_event(stamp, at_millis),)
        case "no_show" | "abandoned":
            return (no_show_event(stamp, at_millis),)
        case "no_show_parked":
            # The stamp before the decision's is drawn for the first of these two (lib/expiry.lua).
            parked = attempts_exhausted_event(stamp, at_millis)
            return no_show_event(stamp - 1, at_millis), parked
        case "unanswered_parked":
            return (unanswered_event(decision, "parked"),)
        case "unanswered_to_back":
            return (replace(unanswered_event(decision, "bumped"), detail={"to": "back"}),)
        case "unanswered_left":
            # The leave that follows has an event.
            return ()
        case "offered":
            return (event_of(decision, POLICY),)
        case "declined":
            return (event_of(decision, CUSTOMER),)
        case _:
            return (event_of(decision),)


def offer_changes(deadline_millis: int) -> dict[str, Any]:
    """Return what changes in a record with an offer, except its token."""
    return {
        "claimed_until_millis": deadline_millis,
        "is_offer": True,
        "hold_end": None,
        "parked_millis": None,
        "park_reason": None,
    }


def event_of(decision: c.Decision, by: str = MAINTENANCE, reason: str = "") -> HistoryEvent:
    """Return the event of a decision that has the name of its verb."""
    detail = {}
    if decision.verb == "released" and decision.at:
        detail = {"until": iso(decision.at)}
    return HistoryEvent(
        stamp=decision.stamp, event=decision.verb, by=by, reason=reason, detail=detail
    )


def expired_event(stamp: int, at_millis: int) -> HistoryEvent:
    """Return the event of a hold whose deadline has passed."""
    return HistoryEvent(stamp=stamp, at_millis=at_millis, event="expired", by=MAINTENANCE)


def no_show_event(stamp: int, at_millis: int) -> HistoryEvent:
    """Return the event of an offer that its customer did not accept before its deadline."""
    return HistoryEvent(stamp=stamp, at_millis=at_millis, event=NO_SHOW, by=POLICY)


def unanswered_event(decision: c.Decision, event: str) -> HistoryEvent:
    """Return the event of a move or a parking because the customer has not answered."""
    return HistoryEvent(stamp=decision.stamp, event=event, by=MAINTENANCE, reason=UNANSWERED)


def reason_to_leave(*, is_silent: bool) -> tuple[str, str]:
    """Return who removes an entry that Redis has taken off the queue, and the reason.

    It has left for an unused offer, or, if the customer `is_silent`, for a question without answer.
    """
    return (MAINTENANCE, UNANSWERED) if is_silent else (POLICY, NO_SHOW)


def ends_before(claim: c.Claimed) -> tuple[HistoryEvent, ...]:
    """Return the event of the hold or offer before, if its end has brought the entry back."""
    if claim.expired_stamp:
        return (expired_event(claim.expired_stamp, claim.ended_millis),)
    if claim.no_show_stamp:
        return (no_show_event(claim.no_show_stamp, claim.ended_millis),)
    return ()


def attempts_exhausted_event(stamp: int, at_millis: int) -> HistoryEvent:
    """Return the event of a parking after too many attempts, at the deadline of the last one."""
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
    """Return the transition of a decision; `reason` is that of a parking."""
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
        is_of_waiting=decision.verb in OF_WAITING,
        changes=_changes(decision, REASONS.get(decision.verb, reason)),
        events=events,
        entered_at=entered_at,
    )


def _changes(decision: c.Decision, reason: str) -> dict[str, Any]:
    token = {"claim_token": decision.token} if decision.token else {}
    if decision.verb == "admitted":
        return token | {"admitted_millis": decision.at}
    if decision.verb == "extended":
        return token | {"claimed_until_millis": decision.at}
    if decision.verb == "offered":
        return token | offer_changes(decision.at)
    if decision.verb in ("abandoned", "unanswered_left"):
        return {"claimed_until_millis": None}
    is_parked = status_after(decision.verb) == "parked"
    changes: dict[str, Any] = token | {
        "claimed_until_millis": None,
        "parked_millis": decision.at if is_parked else None,
        "park_reason": (reason or None) if is_parked else None,
        "is_offer": None,
    }
    if is_parked or decision.verb == "redriven":
        changes |= NO_LONGER_NEAR
    if decision.verb == "released" and decision.at:
        changes |= {"delayed_until_millis": decision.at, **NO_LONGER_NEAR}
    if decision.verb in UNANSWERED_ENDS:
        changes |= dict.fromkeys(OF_QUESTION)
    if decision.verb not in OF_WAITING:
        # A move does not change how the last hold ended.
        changes["hold_end"] = decision.verb if decision.verb in HOLD_ENDS else None
    return changes
