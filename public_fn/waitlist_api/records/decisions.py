"""Map decisions of Redis to changes of the record: the new status and the events."""

from typing import Any

from msgspec.structs import replace

from waitlist_api.clock import iso
from waitlist_api.records.entry import NO_LONGER_NEAR, HistoryEvent
from waitlist_api.records.lifecycle import status_after
from waitlist_api.records.transitions import OUT_OF_ATTEMPTS, QUESTION_FIELDS, Transition
from waitlist_shared import contracts as c

CUSTOMER, MAINTENANCE, POLICY = "customer", "maintenance", "policy"
NO_SHOW = "no_show"
# The reason that is recorded when a customer did not answer the question whether they still wait.
UNANSWERED = "unanswered"
# The reasons for which an entry is parked, by the verb of the decision.
REASONS: dict[c.Verb, str] = {
    "worn_out": OUT_OF_ATTEMPTS,
    "no_show_parked": OUT_OF_ATTEMPTS,
    "unanswered_parked": UNANSWERED,
}
# Redis makes decisions with these verbs about entries that are waiting.
UNANSWERED_ENDS = ("unanswered_parked", "unanswered_to_back", "unanswered_left")
WAITING_VERBS = ("offered", "bumped", *UNANSWERED_ENDS)
# Decisions with these verbs end a hold or a parking without an admission, because a caller asked.
HOLD_ENDS = ("released", "parked", "redriven", "declined", "withdrawn")


def events_of(decision: c.Decision) -> tuple[HistoryEvent, ...]:
    """Return the events of a decision that no request has recorded.

    The events are always the same for a decision, so they can be written more than once.
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
            # Redis draws two stamps in a row. The first stamp is for the no-show (lib/expiry.lua).
            parked = attempts_exhausted_event(stamp, at_millis)
            return no_show_event(stamp - 1, at_millis), parked
        case "unanswered_parked":
            return (unanswered_event(decision, "parked"),)
        case "unanswered_to_back":
            return (replace(unanswered_event(decision, "bumped"), detail={"to": "back"}),)
        case "unanswered_left":
            # The entry leaves the waitlist afterwards, and the leave writes its own event.
            return ()
        case "offered":
            return (event_of(decision, POLICY),)
        case "declined":
            return (event_of(decision, CUSTOMER),)
        case _:
            return (event_of(decision),)


def offer_changes(deadline_millis: int) -> dict[str, Any]:
    """Return the changes of a record for a new offer, except for the claim token."""
    return {
        "claimed_until_millis": deadline_millis,
        "is_offer": True,
        "hold_end": None,
        "parked_millis": None,
        "park_reason": None,
    }


def event_of(decision: c.Decision, by: str = MAINTENANCE, reason: str = "") -> HistoryEvent:
    """Return the event of a decision whose verb is also the name of the event."""
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
    """Return the event of an offer that the customer did not accept before the deadline."""
    return HistoryEvent(stamp=stamp, at_millis=at_millis, event=NO_SHOW, by=POLICY)


def unanswered_event(decision: c.Decision, event: str) -> HistoryEvent:
    """Return the event of an entry that is moved or parked because its customer did not answer."""
    return HistoryEvent(stamp=decision.stamp, event=event, by=MAINTENANCE, reason=UNANSWERED)


def reason_to_leave(*, is_silent: bool) -> tuple[str, str]:
    """Return the actor and the reason of the leave that follows a no-show.

    If `is_silent` is true, the leave follows an unanswered question instead.
    """
    return (MAINTENANCE, UNANSWERED) if is_silent else (POLICY, NO_SHOW)


def previous_end_events(claim: c.Claimed) -> tuple[HistoryEvent, ...]:
    """Return the event that ended the entry's previous hold or offer, if this claim noticed it."""
    if claim.expired_stamp:
        return (expired_event(claim.expired_stamp, claim.ended_millis),)
    if claim.no_show_stamp:
        return (no_show_event(claim.no_show_stamp, claim.ended_millis),)
    return ()


def attempts_exhausted_event(stamp: int, at_millis: int) -> HistoryEvent:
    """Return the event of a parking after too many attempts.

    The event happened at the deadline of the last attempt.
    """
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
    """Return the transition that records a decision.

    `reason` is recorded if the decision parks the entry.
    """
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
        changes |= dict.fromkeys(QUESTION_FIELDS)
    if decision.verb not in WAITING_VERBS:
        # A decision about a waiting entry does not change how the last hold ended.
        changes["hold_end"] = decision.verb if decision.verb in HOLD_ENDS else None
    return changes
