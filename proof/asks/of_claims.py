"""What those who admit people ask."""

from collections.abc import Iterator
from functools import partial
from typing import Literal

from proof import model
from proof.asks.ask import EARLY_STEPS, Ask, Outcome, Told, no, standing
from proof.desk import FIRST, KEYLESS, Desk
from proof.model import ASIDE, Line

To = Literal["place", "back"]


def claim(
    count: int, key: str, *, newest: bool = False, at_once: bool = False, repeat: int = 0
) -> Ask:
    """Claim people, or with `at_once` admit them: in rounds, while fewer are there than wanted."""
    hold = key or f"{KEYLESS} {repeat}"
    last_round = f"{hold} has found nobody more"

    def own(line: Line, *states: model.State) -> list[str]:
        """Return whom this claim has taken, in the order in which it did."""
        found = [
            (stay.round, -stay.rank if newest else stay.rank, name)
            for name, latest in line.stays
            for stay in (latest, latest.former)
            if stay is not None and stay.hold == hold and stay.state in states
        ]
        return [name for _, _, name in sorted(found)]

    def held(line: Line) -> Line:
        line = model.all_expired(line, only_over=True)
        taken = own(line, "offered", "admitted") if at_once else own(line, "offered")
        wanted = 0 if {key, last_round} & line.done else count - len(taken)
        waiting = line.of("waiting")
        return model.held(line, (waiting[::-1] if newest else waiting)[:wanted], hold)

    def early(line: Line) -> Line:
        """Take people, or record the admission of the next of those who are taken."""
        if at_once and (names := own(line, "offered")):
            return admitted(line, names[:1]).change(names[0], is_aside=True)
        taken = held(line)
        return line.note(last_round) if at_once and taken == line else taken

    def admitted(line: Line, names: list[str]) -> Line:
        for name in names if at_once else ():
            line = model.ended(line, name, "admitted")
        return line

    def effect(line: Line) -> Outcome:
        if key in line.done:
            return line, Told(given=tuple(own(line, "offered", "admitted")))
        line = held(line)
        line = admitted(line, own(line, "offered"))
        given = own(line, "admitted" if at_once else "offered")
        # Redis hears of all admissions at once, in the end.
        for name in given:
            line = line.change(name, is_aside=False)
        return line.note(key) if key else line, Told(given=tuple(given))

    def parts(line: Line) -> Iterator[Line]:
        names = set(line.of("waiting"))
        names &= set(own(held(line), "offered"))
        for taken in model.subsets(sorted(names)):
            part = model.held(model.all_expired(line, only_over=True), taken, hold)
            for finished in model.subsets(taken) if at_once else [[]]:
                yield admitted(part.note(key) if key else part, finished)

    send = partial(Desk.claim, count=count, key=key, hold=hold, newest=newest, at_once=at_once)
    anew = partial(claim, count, key, newest=newest, at_once=at_once, repeat=repeat + 1)
    steps = EARLY_STEPS + count + 1 if at_once else EARLY_STEPS
    return Ask(send, effect, parts, early, early_steps=steps, anew=None if key else anew)


def complete(name: str, hold: str = FIRST) -> Ask:
    def effect(line: Line) -> Outcome:
        line, refusal = _held(line, name, hold, "admitted")
        if not refusal and line.by_name[name].state == "offered":
            line = model.ended(line, name, "admitted")
        return line, refusal or Told(status="admitted")

    return Ask(lambda desk: desk.complete(name, hold), effect)


def release(name: str, to: To = "place", hold: str = FIRST) -> Ask:
    def effect(line: Line) -> Outcome:
        line, refusal = _held(line, name, hold, "released")
        if not refusal and line.by_name[name].state == "offered":
            line = model.back_in_line(line, name, to, hold_end="released")
        return line, refusal or standing(line, name)

    return Ask(lambda desk: desk.release(name, hold, to), effect)


def extend(name: str, hold: str = FIRST) -> Ask:
    def effect(line: Line) -> Outcome:
        line, refusal = _held(line, name, hold, "")
        if not refusal:
            line = line.change(name, is_long=True)
        return line, refusal or Told(status="offered")

    return Ask(lambda desk: desk.extend(name, hold), effect)


def park(name: str, hold: str = FIRST) -> Ask:
    def effect(line: Line) -> Outcome:
        line, refusal = _held(line, name, hold, "parked")
        if not refusal:
            line = line.change(name, state="parked", hold_end="parked")
        return line, refusal or Told(status="parked")

    return Ask(lambda desk: desk.park(name, hold), effect)


def redrive(name: str, to: To = "place") -> Ask:
    def effect(line: Line) -> Outcome:
        stay = line.stay(name)
        if stay is None:
            return line, no("entry_not_found")
        if stay.state == "parked":
            line = model.back_in_line(line, name, to, attempts=0, hold_end="redriven")
        elif stay.state == "admitted":
            return line, no("already_admitted")
        elif stay.state != "waiting" or stay.hold_end != "redriven":
            return line, no("not_parked")
        return line, standing(line, name)

    return Ask(lambda desk: desk.redrive(name, to), effect)


def _held(line: Line, name: str, hold: str, hold_end: str) -> tuple[Line, Told | None]:
    """Return whether a token may still act on a hold, or has ended it just so before."""
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
    return line, no("claim_expired" if stay.state in ("waiting", *ASIDE) else stay.state)
