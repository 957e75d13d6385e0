"""Customers' and operators' requests about places in the queue."""

from dataclasses import replace
from functools import partial

from tests.reliability.model.client import KIND_OF, REST_UNTIL
from tests.reliability.model.requests.request import NOTHING, Effect, Request, no, standing
from tests.support import model
from tests.support.model import ASIDE, ENDED, Stay, Waitlist

# In scenarios with questions to customers, old entries have ticket numbers up to this one.
OLD = model.AT_BACK + 2 * model.GAP


def sign_up(name: str, key: str, *, is_keyless: bool = False) -> Request:
    """Sign a customer up.

    If `is_keyless` is true, the request has no idempotency key, and only the model uses `key`.
    """

    def is_new(stay: Stay | None) -> bool:
        # If an entry has left, the service cannot recognize a repeated signup without an
        # idempotency key, so it treats the request as a new signup.
        return stay is None or (stay.state in ENDED and (stay.key != key or is_keyless))

    def early(line: Waitlist) -> Waitlist:
        stay = line.stay(name)
        if is_new(stay):
            return line.put(name, Stay("joining", 0, key=key, former=stay))
        is_own_intent = stay is not None and (stay.state, stay.key) == ("joining", key)
        return effect(line)[0] if is_own_intent else line

    def effect(line: Waitlist) -> Effect:
        stay = line.stay(name)
        if stay is not None and not is_new(stay):
            if stay.key != key:
                # A repeated signup finds the first signup's entry. If the entry was reinstated in
                # between, the response contains the reinstated place.
                own = standing(line, name) if stay.is_reinstated else no("already_on_list")
                return line, replace(own, is_either=stay.is_reinstated)
            if stay.state != "joining":
                return line, replace(standing(line, name), is_either=stay.state in ENDED)
            stay = stay.former
        line = line.put(name, stay) if stay else line.forget(name)
        if not line.takes_signups:
            return model.refused(line, name, key), no("waitlist_full")
        line = model.joined(line, name, key)
        return line, standing(line, name)

    def refusals(line: Waitlist) -> tuple[str, ...]:
        stay = line.stay(name)
        is_own_end = is_keyless and stay is not None and (stay.state, stay.key) == ("left", key)
        if model.is_leaving(line, name):
            return ("already_on_list",)
        if model.was_refused(line, name, key):
            # Once Redis has refused a signup, it remembers that the signup has ended.
            return ("gone", "not_waiting", "not_open_yet")
        return ("not_waiting",) if is_own_end or erased(name, key) in line.done else ()

    return Request(
        lambda client: client.sign_up(name, "" if is_keyless else key),
        effect,
        early=early,
        refusals=refusals,
        repeat=partial(sign_up, name, f"{key} again", is_keyless=True) if is_keyless else None,
    )


def leave(name: str, by: str = "customer") -> Request:
    def effect(line: Waitlist) -> Effect:
        stay = line.stay(name)
        if stay is None:
            return line, replace(no("entry_not_found"), is_either=True)
        if stay.state == "admitted":
            return line, no("already_admitted")
        if stay.state == "joining":
            # Redis counts neither the unfinished signup nor the departure.
            return line.change(name, state="left").happened(name, "left", by), NOTHING
        return line if stay.state == "left" else model.ended(line, name, "left", by), NOTHING

    def early(line: Waitlist) -> Waitlist:
        return model.left_before_maintenance(line, name, by)

    return Request(lambda client: client.leave(name, by), effect, early=early, event="left")


def edit(name: str, kind: str) -> Request:
    """An edit changes an entry's segments, but not its place.

    If the entry's signup was interrupted, the service first completes the signup.
    """

    def effect(line: Waitlist) -> Effect:
        line = model.intent_finished(line, name)
        stay = line.stay(name)
        if stay is None:
            return line, no("entry_not_found")
        if stay.state in ENDED:
            refusal = no("already_admitted" if stay.state == "admitted" else "not_waiting")
            return line, replace(refusal, is_either=model.is_leaving(line, name))
        return line, NOTHING

    return Request(lambda client: client.edit(name, kind), effect)


def hold_back(name: str, *, is_ready: bool = False) -> Request:
    """Mark an entry as not ready, or as ready again.

    If the entry leaves the waitlist in the meantime, the request is refused, but the history
    contains the change.
    """
    word = "ready" if is_ready else "held_back"
    edited = edit(name, KIND_OF[name])

    def effect(line: Waitlist) -> Effect:
        line, expected = edited.effect(line)
        stay = line.stay(name)
        if stay is None or stay.state in ENDED or stay.is_held_back is not is_ready:
            return line, expected
        line = line.change(name, is_held_back=not is_ready)
        return line.happened(name, word, model.OPERATOR), expected

    def early(line: Waitlist) -> Waitlist:
        noted = f"{name} is {word} as a no-show"
        if not model.is_leaving(line, name) or noted in line.done:
            return effect(line)[0]
        # DynamoDB may not know yet that the customer has left.
        *before, left = line.history(name)
        events = (*before, model.Event(word, model.OPERATOR), left)
        others = dict(line.events) | {name: events}
        return replace(line, events=frozenset(others.items())).note(noted)

    return Request(lambda client: client.hold_back(name, is_ready), effect, early=early, event=word)


def rest(name: str) -> Request:
    """The service reads the entry's status from DynamoDB, where it may still be `waiting` after the
    entry was claimed in Redis.
    """
    edited = edit(name, KIND_OF[name])

    def effect(line: Waitlist) -> Effect:
        line, expected = edited.effect(line)
        stay = line.stay(name)
        if stay is None or stay.state in ENDED or stay.rests_until_millis:
            return line, expected
        if stay.question == "noted" and model.may_end_wait(line, stay):
            return line, no("not_waiting")
        line = model.answered(line, name).change(name, rests_until_millis=REST_UNTIL)
        return line.happened(name, "rested", model.CUSTOMER), expected

    def refusals(line: Waitlist) -> tuple[str, ...]:
        stay = line.stay(name)
        # The last claim or offer has ended, but maintenance may not have recorded its end yet.
        is_noticed = [event.word for event in line.history(name)[-1:]] == ["expired"]
        is_refused = stay and (stay.state in ASIDE or is_noticed)
        return ("not_waiting",) if is_refused else _too_late(line, name)

    def early(line: Waitlist) -> Waitlist:
        return effect(line)[0]

    return Request(
        lambda client: client.rest(name), effect, early=early, refusals=refusals, event="rested"
    )


def resume(name: str) -> Request:
    edited = edit(name, KIND_OF[name])

    def effect(line: Waitlist) -> Effect:
        line, expected = edited.effect(line)
        stay = line.stay(name)
        if stay is None or stay.state in ENDED or not stay.rests_until_millis:
            return line, expected
        line = line.change(name, rests_until_millis=0)
        return line.happened(name, "resumed", model.CUSTOMER), expected

    def early(line: Waitlist) -> Waitlist:
        return effect(line)[0]

    return Request(lambda client: client.resume(name), effect, early=early, event="resumed")


def ask(name: str) -> Request:
    """Ask customers whether they are still waiting.

    The service first reads a page of waiting entries, and writes the question to their records in
    later steps.
    """

    def early(line: Waitlist) -> Waitlist:
        stay = line.stay(name)
        is_old = stay and stay.ticket <= OLD and not stay.is_reinstated
        if not stay or not is_old or stay.question or stay.state in ENDED:
            return line
        return model.asked(line, name, model.OPERATOR)

    def effect(line: Waitlist) -> Effect:
        return early(line) if name in line.next_ones() else line, NOTHING

    return Request(lambda client: client.ask(), effect, early=early, event="asked")


def confirm(name: str) -> Request:
    """A customer's answer is refused once DynamoDB has recorded that it is too late."""
    edited = edit(name, KIND_OF[name])

    def effect(line: Waitlist) -> Effect:
        line, expected = edited.effect(line)
        stay = line.stay(name)
        if stay is None or stay.state in ENDED or not stay.is_asked:
            return line, expected
        if stay.question == "noted" and model.may_end_wait(line, stay):
            return line, no("not_waiting")
        return model.answered(line, name).happened(name, "confirmed", model.CUSTOMER), expected

    return Request(
        lambda client: client.confirm(name),
        effect,
        early=lambda line: effect(line)[0],
        refusals=lambda line: _too_late(line, name),
        event="confirmed",
    )


def _too_late(line: Waitlist, name: str) -> tuple[str, ...]:
    """Return the error code with which the service may refuse a customer's answer to a question,
    even though the entry's record still allows the answer.
    """
    stay = line.stay(name)
    is_claimed_since = (
        stay is not None
        and stay.question == "noted"
        and stay.hold != stay.asked_hold
        and not stay.hold_end
    )
    ends = [event for event in line.history(name) if event.word not in model.OF_RECORD]
    is_ended = bool(ends) and ends[-1].reason == model.UNANSWERED
    return ("not_waiting",) if is_ended or is_claimed_since else ()


def reinstate(name: str, key: str) -> Request:
    """Reinstate a customer who has left or was parked. The first step stores the entry's former
    rank.
    """

    def early(line: Waitlist) -> Waitlist:
        stay = line.stay(name)
        # An operator has moved the parked entry back to the queue, but DynamoDB may not have
        # recorded this.
        is_redriven = [event.word for event in line.history(name)[-1:]] == ["redriven"]
        is_parked = stay and (stay.state == "parked" or (stay.state == "waiting" and is_redriven))
        if stay is None or stay.key == key or not (is_parked or stay.state in ("left", "joining")):
            return effect(line)[0] if stay and (stay.state, stay.key) == ("joining", key) else line
        if is_parked:
            return model.ended(line, name, "left", model.OPERATOR, "reinstated")
        if stay.state == "joining":
            return model.intent_finished(line, name)
        intent = Stay("joining", stay.rank, key=key, is_reinstated=True, former=stay)
        return line.put(name, intent)

    def effect(line: Waitlist) -> Effect:
        stay = line.stay(name)
        if stay is None:
            return line, no("entry_not_found")
        is_own = stay.key == key
        if is_own and stay.state != "joining":
            return line, replace(standing(line, name), is_either=stay.state in ENDED)
        if not is_own and stay.state in ("waiting", "offered", "admitted"):
            return line, no("already_admitted" if stay.state == "admitted" else "already_on_list")
        if not is_own:
            return effect(early(line))
        line = model.enlisted(line, name)
        now = line.stay(name)
        if now is None or now.key != key:
            return line, no("waitlist_full")
        return line, standing(line, name)

    def refusals(line: Waitlist) -> tuple[str, ...]:
        return ("entry_not_found",) if erased(name, key) in line.done else ()

    return Request(
        lambda client: client.reinstate(name, key),
        effect,
        early=early,
        early_steps=3,
        refusals=refusals,
        event="reinstated",
    )


def erase(name: str) -> Request:
    def effect(line: Waitlist) -> Effect:
        stay = line.stay(name)
        line = line.note(erased(name, stay.key)) if stay else line
        return line.erase(name), NOTHING

    def early(line: Waitlist) -> Waitlist:
        if not model.is_leaving(line, name):
            return line
        # Redis has not counted that this customer left, and does not count it when the entry is
        # erased either.
        line = model.left_before_maintenance(line, name, model.OPERATOR)
        return replace(line, left=line.left - 1)

    return Request(lambda client: client.erase(name), effect, early=early)


def bump(name: str, key: str, **where: int | str) -> Request:
    """Move an entry. If the entry is claimed in the meantime, the request is refused, but the entry
    keeps its new place.
    """
    ((kind, value),) = where.items()

    def early(line: Waitlist) -> Waitlist:
        stay = line.stay(name)
        if stay is None or stay.state != "waiting" or key in line.done:
            return line
        line = model.moved(line, name, kind, value).note(key)
        return line.happened(name, "bumped", model.OPERATOR)

    def effect(line: Waitlist) -> Effect:
        stay = line.stay(name)
        if stay is None or stay.state != "waiting":
            return line, no("not_waiting")
        line = early(line)
        return line, standing(line, name)

    return Request(
        lambda client: client.bump(name, key, **where), effect, early=early, event="bumped"
    )


def look(name: str) -> Request:
    def effect(line: Waitlist) -> Effect:
        return line, standing(line, name) if line.stay(name) else no("entry_not_found")

    return Request(lambda client: client.look(name), effect)


def poll(name: str) -> Request:
    """Let a customer poll.

    By the end of a case, so much time has passed that every customer counts as away, so the model
    treats each poll as one from long ago.
    """

    def effect(line: Waitlist) -> Effect:
        stay = line.stay(name)
        if stay is None:
            return line, no("entry_not_found")
        if stay.state in ("waiting", "offered"):
            line = model.polled(line, name, model.LONG_AGO)
        return line, standing(line, name)

    return Request(lambda client: client.poll(name), effect)


def erased(name: str, key: str) -> str:
    return f"{name} was erased after {key}"
