"""Operators' requests about claims: claim, complete, release, extend, park and redrive."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Literal

from tests.reliability.model.client import FIRST, KEYLESS, PARK_REASON, Client
from tests.reliability.model.requests.request import (
    EARLY_STEPS,
    Effect,
    Expected,
    Request,
    no,
    standing,
)
from tests.support import model
from tests.support.model import ASIDE, Waitlist

To = Literal["place", "back"]


def claim(
    count: int, key: str, *, newest: bool = False, at_once: bool = False, repeat: int = 0
) -> Request:
    """Claim up to `count` entries.

    If `at_once` is true, the claim also completes them. The response does not contain entries that
    left while the request was running.
    """
    hold = key or f"{KEYLESS} {repeat}"
    has_taken = f"{hold} has taken people"

    def own(line: Waitlist, *states: model.State) -> list[str]:
        found = [
            (-stay.rank if newest else stay.rank, name)
            for name, latest in line.stays
            for stay in (latest, latest.former)
            if stay is not None and stay.hold == hold and stay.state in states
        ]
        return [name for _, name in sorted(found)]

    def held(line: Waitlist) -> Waitlist:
        line = model.all_expired(line, only_over=True)
        wanted = line.next_ones(line.claimable(count), newest=newest)
        if not wanted or {key, has_taken} & line.done:
            return line
        return model.held(line, wanted, hold, at_once=at_once).note(has_taken)

    def early(line: Waitlist) -> Waitlist:
        """Before the response, other clients may see the entries as claimed, and then as admitted
        one by one.
        """
        if at_once and (names := own(line, "offered")):
            return admitted(line, names[:1]).change(names[0], is_aside=True)
        return held(line)

    def admitted(line: Waitlist, names: list[str]) -> Waitlist:
        for name in names if at_once else ():
            line = model.ended(line, name, "admitted")
        return line

    def effect(line: Waitlist) -> Effect:
        if key in line.done:
            return line, Expected(given=tuple(own(line, "offered", "admitted")))
        line = held(line)
        line = admitted(line, own(line, "offered"))
        given = own(line, "admitted" if at_once else "offered")
        # Redis learns of all admissions in a single call at the end.
        for name in given:
            line = line.change(name, is_aside=False)
        return line.note(key) if key else line, Expected(given=tuple(given))

    def parts(line: Waitlist) -> Iterator[Waitlist]:
        names = set(line.of("waiting"))
        names &= set(own(held(line), "offered"))
        for taken in model.subsets(sorted(names)):
            part = model.all_expired(line, only_over=True)
            part = model.held(part, taken, hold, at_once=at_once)
            for finished in model.subsets(taken) if at_once else [[]]:
                yield admitted(part.note(key) if key else part, finished)

    def given(line: Waitlist, names: tuple[str, ...]) -> Waitlist:
        line = model.held(
            model.all_expired(line, only_over=True), list(names), hold, at_once=at_once
        )
        return admitted(line, list(names)).note(key)

    send = partial(Client.claim, count=count, key=key, hold=hold, newest=newest, at_once=at_once)
    again = partial(claim, count, key, newest=newest, at_once=at_once, repeat=repeat + 1)
    steps = EARLY_STEPS + count if at_once else EARLY_STEPS
    repeats = None if key else again
    return Request(send, effect, parts, early, early_steps=steps, repeat=repeats, given=given)


def claim_one(name: str, key: str) -> Request:
    def may_take(line: Waitlist) -> bool:
        stay = line.stay(name)
        is_waiting = stay is not None and stay.state == "waiting" and stay.may_be_admitted
        return key not in line.done and is_waiting and line.claimable(1) == 1

    def early(line: Waitlist) -> Waitlist:
        line = model.all_expired(line, only_over=True)
        if not may_take(line):
            return line
        return model.held(line.change(name, is_away=False), [name], key).note(key)

    def effect(line: Waitlist) -> Effect:
        is_repeat = key in line.done
        line = early(line)
        stay = line.stay(name)
        if stay is None:
            return line, no("entry_not_found")
        if stay.state == "offered" and stay.hold == key:
            return line, Expected(status="offered", is_either=is_repeat)
        if stay.state == "waiting" and key not in line.done:
            return line, no("claims_full" if stay.may_be_admitted else "entry_not_ready")
        code = "already_admitted" if stay.state == "admitted" else "not_waiting"
        return line, replace(no(code), is_either=is_repeat)

    return Request(lambda client: client.claim_one(name, key), effect, early=early, event="offered")


def complete(name: str, hold: str = FIRST) -> Request:
    def effect(line: Waitlist) -> Effect:
        line, refusal = _held(line, name, hold, "admitted")
        if not refusal and line.by_name[name].state == "offered":
            line = model.ended(line, name, "admitted")
        return line, refusal or Expected(status="admitted")

    return Request(lambda client: client.complete(name, hold), effect, event="admitted")


def release(name: str, to: To = "place", hold: str = FIRST, *, is_delayed: bool = False) -> Request:
    """Release a claimed entry. If `is_delayed` is true, the entry gets no new claim or offer for
    the rest of the test case.
    """

    def effect(line: Waitlist) -> Effect:
        line, refusal = _held(line, name, hold, "released")
        if not refusal and line.by_name[name].state == "offered":
            line = model.back_in_line(line, name, to, hold_end="released")
            line = line.change(name, delayed_until_millis=int(is_delayed))
            line = line.note(_ended(name, hold, "released"))
            line = line.happened(name, "released", model.OPERATOR)
        return line, refusal or standing(line, name)

    return Request(
        lambda client: client.release(name, hold, to, is_delayed), effect, event="released"
    )


def extend(name: str, hold: str = FIRST) -> Request:
    def effect(line: Waitlist) -> Effect:
        line, refusal = _held(line, name, hold, "")
        if not refusal:
            line = line.change(name, is_long=True)
        return line, refusal or Expected(status="offered")

    return Request(lambda client: client.extend(name, hold), effect)


def park(name: str, hold: str = FIRST) -> Request:
    def effect(line: Waitlist) -> Effect:
        line, refusal = _held(line, name, hold, "parked")
        if not refusal and line.by_name[name].state == "offered":
            line = model.given_back(line, name)
            line = line.change(name, state="parked", hold_end="parked")
            line = line.note(_ended(name, hold, "parked"))
            line = line.happened(name, "parked", model.OPERATOR, PARK_REASON)
        return line, refusal or Expected(status="parked")

    return Request(lambda client: client.park(name, hold), effect, event="parked")


def redrive(name: str, to: To = "place") -> Request:
    def effect(line: Waitlist) -> Effect:
        stay = line.stay(name)
        if stay is None:
            return line, no("entry_not_found")
        if stay.state == "parked":
            line = model.back_in_line(line, name, to, attempts=0, hold_end="redriven")
            line = line.happened(name, "redriven", model.OPERATOR)
            line = line.note(_redriven(name, stay))
        elif stay.state != "waiting" and _redriven(name, stay) in line.done:
            return line, first_answer(line, name, "waiting")
        elif stay.state == "admitted":
            return line, no("already_admitted")
        elif stay.state != "waiting" or stay.hold_end != "redriven":
            return line, no("not_parked")
        return line, standing(line, name)

    return Request(lambda client: client.redrive(name, to), effect, event="redriven")


def _held(line: Waitlist, name: str, hold: str, hold_end: str) -> tuple[Waitlist, Expected | None]:
    """Return the waitlist, and a refusal if the claim token is not accepted.

    An open claim's token is accepted. A client may also repeat the request that ended the claim.
    """
    stay = line.stay(name)
    if stay is None:
        return line, no("entry_not_found")
    is_own = stay.hold == hold
    if stay.state == "offered" and is_own and not stay.is_over:
        return line, None
    state = "waiting" if hold_end == "released" else hold_end
    is_repeat = stay.state == state and (state == "admitted" or stay.hold_end == hold_end)
    if is_own and is_repeat:
        return line, None
    if _ended(name, hold, hold_end) in line.done:
        return line, first_answer(line, name, state)
    return line, no("claim_expired" if stay.state in ("waiting", *ASIDE) else stay.state)


def _ended(name: str, hold: str, hold_end: str) -> str:
    return f"{name} was {hold_end} from {hold}"


def _redriven(name: str, stay: model.Stay) -> str:
    return f"{name} was redriven with ticket {stay.ticket}"


def first_answer(line: Waitlist, name: str, status: str) -> Expected:
    """Return the first response to a request. If the request is repeated, Redis may send this
    response again, even if the entry has changed since.
    """
    position = standing(line, name).position if status == "waiting" else None
    total = None if position is None else len(line.of("waiting"))
    return Expected(status=status, position=position, total=total, is_either=True)
