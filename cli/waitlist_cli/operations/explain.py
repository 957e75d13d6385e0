"""Says in words where a person is, and why."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waitlist_cli.operations.policies import policy_text
from waitlist_cli.terminal.output import counted, shown

Document = Mapping[str, Any]
BY = {"customer": "the customer", "policy": "the admission policy", "maintenance": "maintenance"}


def explanation(person: Document, waitlist: Document) -> list[str]:
    """Return sentences about an entry with its history, and the list's settings."""
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
            return ["The customer has not been on the list."]
        case "left":
            return [_last("left", history, "The stay ended", "the customer left the list")]
        case "joining":
            return ["The signup is not finished. Maintenance finishes it within two minutes."]
        case "leaving":
            return ["The entry is being removed. Maintenance finishes it within two minutes."]
        case other:
            return [f"The status is {other}."]


def _waiting(person: Document, history: Sequence[Document]) -> Iterator[str]:
    position, priority = person["position"], person["priority"]
    if position is None:
        yield "The entry waits; its position is not known at this moment."
    elif position == 1:
        yield "First in the queue."
    else:
        yield f"{counted(position - 1, 'person is', 'people are')} ahead{_of_them_ready(person)}."
    yield from _passed_over(person, history)
    if person.get("confirm_by"):
        yield f"Asked if they still wait; to be confirmed by {shown(person['confirm_by'])}."
    if priority:
        yield f"Priority {priority} is served before every lower one; 0 is the usual one."
    else:
        yield "Priority 0, the usual one: people of a higher priority go first."
    moves = [one for one in history if one["event"] not in READINESS]
    if moves and moves[-1]["event"] in MOVED:
        yield f"{MOVED[moves[-1]['event']]} {_how(moves[-1])}."
    if attempts := person["attempts"]:
        yield f"{counted(attempts, 'hold or offer', 'holds or offers')} ended unused before."


def _of_them_ready(person: Document) -> str:
    ahead, ready = person["position"] - 1, person.get("ready_ahead")
    return "" if ready in (None, ahead) else f", {ready:,} of them ready"


def _passed_over(person: Document, history: Sequence[Document]) -> Iterator[str]:
    """Yield why others pass the entry, which keeps its place."""
    for reason in person.get("not_ready") or ():
        if reason == "resting":
            until = shown(person["rest_until"])
            yield f"Passed over: the customer rests until {until}, or resumes before."
        elif reason == "held_back":
            held = _latest(history, "held_back")
            yield f"Passed over: held back{f' {_how(held)}' if held else ''}."
        elif reason == "delayed" and person.get("delayed_until"):
            yield f"Passed over: released with a delay until {shown(person['delayed_until'])}."
        elif reason == "unverified":
            yield "Passed over: the customer has not opened the link that proves the address."
        else:
            yield f"Passed over: {shown(reason.replace('_', ' '))}."


QUESTIONS = ("asked", "reminded", "confirmed", "unanswered")
# Events that move an entry nowhere.
READINESS = (
    "rested",
    "resumed",
    "held_back",
    "ready",
    "verification_asked",
    "link_asked",
    "verified",
    "address_change_asked",
    "address_changed",
    "near",
    "ending",
    *QUESTIONS,
)
# What the latest move says of an entry that waits.
MOVED = {
    "bumped": "Moved",
    "released": "Given back to the queue",
    "expired": "Back in the queue because a hold expired",
    "declined": "At the end of the queue because the customer declined an offer",
    "withdrawn": "Back at the old place because an operator took an offer back",
    "no_show": "Back in the queue because an offer was not accepted in time",
    "redriven": "Back in the queue after it was parked",
    "reinstated": "Back at the former place by a new stay",
}


def _admission(waitlist: Document) -> Iterator[str]:
    if waitlist["rebuild"] is not None:
        yield "The order is being rebuilt; until that ends, no one is admitted."
    if waitlist["paused"]:
        yield "The list is paused: no one is admitted until an operator resumes it."
    admission = waitlist["admission"]
    text = policy_text(admission)
    if text == policy_text(None):
        yield "The list admits by hand only: an operator admits or claims people."
    else:
        yield f"The list admits by itself: {text}."
        if admission.get("offer_hours"):
            yield "Outside its hours it offers nothing."


def _offered(person: Document, history: Sequence[Document]) -> Iterator[str]:
    made = _latest(history, "offered")
    if person["offered_until"]:
        yield f"A place is offered until {shown(person['offered_until'])}."
        yield "The customer enters or declines; without either, the rule for no-shows applies."
    else:
        yield f"A claim holds the entry until {shown(person['claimed_until'])}."
        yield "The claimer completes, releases or parks it; without that, it waits again."
    if made is not None:
        yield f"It was made {_how(made)}."


def _parked(person: Document, history: Sequence[Document], waitlist: Document) -> Iterator[str]:
    yield _last("parked", history, "Parked", "the entry was parked")
    if person["attempts"] >= waitlist["max_attempts"]:
        attempts = counted(person["attempts"], "attempt", "attempts")
        yield f"{attempts} ended unused; the list allows {waitlist['max_attempts']:,}."
    yield "It stays out of the queue until an operator redrives or removes it."


def _admitted(person: Document, history: Sequence[Document]) -> Iterator[str]:
    yield _last("admitted", history, "Admitted", "the person was admitted")
    if person["exited_at"]:
        yield f"Went out at {shown(person['exited_at'])}."
        if person["room_until"]:
            yield f"The place inside is taken until {shown(person['room_until'])}."
    elif person["inside_until"]:
        yield f"The pass ends at {shown(person['inside_until'])}."
        yield "Until then the place inside is taken, unless the person goes out."


def _last(event: str, history: Sequence[Document], words: str, unknown: str) -> str:
    found = _latest(history, event)
    return f"{words} {_how(found)}." if found else f"The history no longer says how {unknown}."


def _latest(history: Sequence[Document], event: str | None = None) -> Document | None:
    found = [one for one in history if event in (None, one["event"])]
    return found[-1] if found else None


def _how(event: Document) -> str:
    reason = f": {shown(event['reason'])}" if event["reason"] else ""
    return f"by {actor(event['by'])} at {shown(event['at'])}{reason}"


def actor(by: str) -> str:
    """Return an actor in words; of an ARN, only the name in the account."""
    return BY.get(by) or shown(by.rpartition(":")[2] if by.startswith("arn:") else by)
