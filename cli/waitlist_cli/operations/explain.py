"""Explains in sentences what state an entry is in, and why."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waitlist_cli.operations.policies import policy_text
from waitlist_cli.operations.readiness import reasons_of
from waitlist_cli.terminal.output import format_count, format_value

Document = Mapping[str, Any]
# The words for events whose API names are technical terms.
EVENTS = {"parked": "set aside", "redriven": "returned", "bumped": "moved", "no_show": "no-show"}
BY = {"customer": "the customer", "policy": "the admission policy", "maintenance": "maintenance"}


def explanation(person: Document, waitlist: Document) -> list[str]:
    """Return sentences that explain an entry's state."""
    sentences = _state(person, waitlist)
    if person["banned_at"]:
        banned = _last("banned", person["history"], "Banned", "the customer was banned")
        sentences += [banned, "Signups are refused until an operator ends the ban."]
    return sentences


def _state(person: Document, waitlist: Document) -> list[str]:
    history: Sequence[Document] = person["history"]
    match person["status"]:
        case "waiting":
            return [*_waiting(person, history), *_admission(waitlist)]
        case "offered":
            return list(_offered(person, history))
        case "parked":
            return list(_parked(person, history, waitlist))
        case "admitted":
            return list(_admitted(person, history))
        case "left" if person["left_at"] is None:
            return ["The customer has never been on the list."]
        case "left":
            return [_last("left", history, "Taken off the list", "the customer left the list")]
        case "joining":
            return ["The signup is incomplete. Maintenance completes it within two minutes."]
        case "leaving":
            return ["The entry is being removed. This takes at most two minutes."]
        case other:
            return [f"The status is {other}."]


def _waiting(person: Document, history: Sequence[Document]) -> Iterator[str]:
    position, priority = person["position"], person["priority"]
    if position is None:
        yield "The entry is waiting, but its position is not known at the moment."
    elif position == 1:
        yield "The entry is first in the queue."
    else:
        people = format_count(position - 1, "person is", "people are")
        yield f"{people} ahead{_of_them_ready(person)}."
    yield from _passed_over(person, history)
    if person.get("confirm_by"):
        yield (
            "The customer was asked whether they are still waiting, and must confirm by "
            f"{format_value(person['confirm_by'])}."
        )
    if priority:
        yield f"Priority {priority} is served before all lower priorities. The usual priority is 0."
    else:
        yield "The priority is 0, which is usual. People with a higher priority go first."
    moves = [event for event in history if event["event"] in (*MOVED, *BEGINNINGS)]
    if moves and moves[-1]["event"] in MOVED:
        yield f"{MOVED[moves[-1]['event']]} {_how(moves[-1])}."
    if attempts := person["attempts"]:
        ended = format_count(attempts, "earlier call or offer", "earlier calls or offers")
        yield f"{ended} expired."


def _of_them_ready(person: Document) -> str:
    ahead, ready = person["position"] - 1, person.get("ready_ahead")
    return "" if ready in (None, ahead) else f", {ready:,} of them ready"


def _passed_over(person: Document, history: Sequence[Document]) -> Iterator[str]:
    """Yield the reasons why other people are served before this person."""
    for reason, end in reasons_of(person):
        until = f" until {format_value(end)}" if end else ""
        words = PASSED_OVER.get(reason, format_value(reason.replace("_", " ")))
        held = _latest(history, reason) if reason == "held_back" else None
        yield f"Passed over{until}: {words}{f' {_how(held)}' if held else ''}."


# Explanations of the reasons whose names do not say enough.
PASSED_OVER = {
    "resting": "the customer is letting others pass, and can resume earlier",
    "delayed": "released with a delay",
    "declined": "the customer has declined an offer",
    "unverified": "the customer has not opened the link that verifies the address",
    "away": "the customer's page has stopped polling. The next poll makes the person ready again",
}
# Events that put an entry on the waitlist.
BEGINNINGS = ("joined", "reinstated")
# For each kind of event that moves a waiting entry, the beginning of a sentence about the event.
# The rest of the sentence says who caused the event and when, as in "Moved by the operator anna at
# 10:42".
MOVED = {
    "bumped": "Moved",
    "released": "Returned to the queue",
    "expired": "Returned to the queue after a call expired,",
    "declined": "Moved to the end of the queue after an offer was declined",
    "withdrawn": "Returned to the former place after an offer was taken back",
    "no_show": "Returned to the queue after an offer was not accepted in time,",
    "redriven": "Returned to the queue after being set aside,",
    "reinstated": "Returned to the former place after being reinstated,",
}


def _admission(waitlist: Document) -> Iterator[str]:
    if waitlist["rebuild"] is not None:
        yield "The queue is being rebuilt. No one is admitted until the rebuild is complete."
    if waitlist["paused"]:
        yield "The list is paused. No one is admitted until an operator resumes it."
    admission = waitlist["admission"]
    text = policy_text(admission)
    if text == policy_text(None):
        yield "No one is admitted automatically. An operator admits or calls people."
    else:
        yield f"The list admits by itself: {text}."
        if admission.get("offer_hours"):
            yield "Outside these hours, the waitlist makes no offers."


def _offered(person: Document, history: Sequence[Document]) -> Iterator[str]:
    made = _latest(history, "offered")
    if person["offered_until"]:
        yield f"A place is offered until {format_value(person['offered_until'])}."
        yield (
            "If the customer neither enters nor declines in time, the policy's `no_show` setting "
            "applies."
        )
    else:
        until = format_value(person["claimed_until"])
        if person["call"]:
            yield f"The customer is called to {format_value(person['call']['to'])} until {until}."
            yield "If the call expires, the customer returns to the queue."
        else:
            yield f"A claim holds the entry until {until}."
            yield "The client that made the claim can complete, release or park it."
            yield "If the claim expires, the entry returns to the queue."
    if made is not None:
        kind = "offer" if person["offered_until"] else "call" if person["call"] else "claim"
        yield f"The {kind} was made {_how(made)}."


def _parked(person: Document, history: Sequence[Document], waitlist: Document) -> Iterator[str]:
    yield _last("parked", history, "Set aside", "the entry was set aside")
    if person["attempts"] >= waitlist["max_attempts"]:
        attempts = format_count(person["attempts"], "attempt", "attempts")
        yield f"{attempts} expired. The list allows {waitlist['max_attempts']:,}."
    yield "The entry stays out of the queue until an operator returns or removes it."


def _admitted(person: Document, history: Sequence[Document]) -> Iterator[str]:
    yield _last("admitted", history, "Admitted", "the person was admitted")
    if person["exited_at"]:
        yield f"The person exited at {format_value(person['exited_at'])}."
        if person["room_until"]:
            yield f"The slot inside is taken until {format_value(person['room_until'])}."
    elif person["inside_until"]:
        yield f"The pass ends at {format_value(person['inside_until'])}."
        yield "The person takes up a slot inside until the pass ends or the person exits."


def _last(event: str, history: Sequence[Document], words: str, unknown: str) -> str:
    found = _latest(history, event)
    return f"{words} {_how(found)}." if found else f"The history no longer says how {unknown}."


def _latest(history: Sequence[Document], event: str | None = None) -> Document | None:
    found = [entry for entry in history if event in (None, entry["event"])]
    return found[-1] if found else None


def _how(event: Document) -> str:
    reason = f": {format_value(event['reason'])}" if event["reason"] else ""
    return f"by {actor(event['by'])} at {format_value(event['at'])}{reason}"


def event_name(event: str) -> str:
    """Return an event's name in the words that operators know."""
    return EVENTS.get(event, event.replace("_", " "))


def actor(by: str) -> str:
    """Describe in words who caused an event.

    An ARN is shortened to the part after the account id.
    """
    return BY.get(by) or format_value(by.rpartition(":")[2] if by.startswith("arn:") else by)
