"""What can be asked of a waitlist: how it is sent, and what should come of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from proof import model
from proof.desk import FIRST, KEYLESS, LEASE_SECONDS, Desk
from proof.model import ASIDE, ENDED, ON_LIST, Line, Stay

To = Literal["place", "back"]


@dataclass(frozen=True, kw_only=True)
class Told:
    """What an answer must say: a refusal's code, or where the person stands, or who is given.

    `is_either` allows what another request has ended meanwhile to be told as done or as refused.
    """

    refusal: str = ""
    is_either: bool = False
    status: str = ""
    position: int | None = None
    total: int | None = None
    given: tuple[str, ...] = ()


Outcome = tuple[Line, Told]
NOTHING = Told()


def _no_parts(_: Line) -> Iterator[Line]:
    return iter(())


def _nothing_early(line: Line) -> Line:
    return line


def _no_refusals(_: Line) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Ask:
    """One request: a repeat of it is the same request to the service.

    `parts` yields what may come of it besides its effect where nobody was answered; `early` is
    what others may see of it before its answer is made, one step at a time; `refusals` are codes
    that say what others have done meanwhile. `anew` makes the repeat that is a request of its own.
    """

    send: Callable[[Desk], Any]
    effect: Callable[[Line], Outcome]
    parts: Callable[[Line], Iterator[Line]] = _no_parts
    early: Callable[[Line], Line] = _nothing_early
    refusals: Callable[[Line], tuple[str, ...]] = _no_refusals
    anew: Callable[[], "Ask"] | None = None

    def again(self) -> "Ask":
        """Return what a client sends who repeats this."""
        return self.anew() if self.anew else self


def nothing_changes(line: Line) -> Outcome:
    return line, NOTHING


def sign_up(name: str, key: str) -> Ask:
    """Sign up: the intent is seen before the place, and both before the answer."""

    def is_new(stay: Stay | None) -> bool:
        return stay is None or (stay.state in ENDED and stay.key != key)

    def early(line: Line) -> Line:
        stay = line.stay(name)
        if is_new(stay):
            return line.put(name, Stay("joining", 0, key=key, former=stay))
        is_own_intent = stay is not None and (stay.state, stay.key) == ("joining", key)
        return effect(line)[0] if is_own_intent else line

    def effect(line: Line) -> Outcome:
        stay = line.stay(name)
        if stay is not None and not is_new(stay):
            if stay.key != key:
                return line, _no("already_on_list")
            if stay.state != "joining":
                return line, replace(_standing(line, name), is_either=stay.state in ENDED)
            stay = stay.former
        line = line.put(name, stay) if stay else line.forget(name)
        if line.is_full:
            return line, _no("waitlist_full")
        line = model.joined(line, name, key)
        return line, _standing(line, name)

    def refusals(line: Line) -> tuple[str, ...]:
        return ("not_waiting",) if _erased(name, key) in line.done else ()

    return Ask(lambda desk: desk.sign_up(name, key), effect, early=early, refusals=refusals)


def leave(name: str, by: str = "customer") -> Ask:
    def effect(line: Line) -> Outcome:
        stay = line.stay(name)
        if stay is None:
            return line, replace(_no("entry_not_found"), is_either=True)
        if stay.state == "admitted":
            return line, _no("already_admitted")
        if stay.state == "joining":
            # Nobody has counted them yet.
            return line.change(name, state="left"), NOTHING
        return line if stay.state == "left" else model.ended(line, name, "left"), NOTHING

    return Ask(lambda desk: desk.leave(name, by), effect)


def erase(name: str) -> Ask:
    def effect(line: Line) -> Outcome:
        stay = line.stay(name)
        line = line.note(_erased(name, stay.key)) if stay else line
        return line.forget(name), NOTHING

    return Ask(lambda desk: desk.erase(name), effect)


def bump(name: str, key: str, **where: int | str) -> Ask:
    """Move somebody: whoever is given out meanwhile has moved, and nobody is told so."""
    ((kind, value),) = where.items()

    def early(line: Line) -> Line:
        stay = line.stay(name)
        if stay is None or stay.state != "waiting" or key in line.done:
            return line
        return model.moved(line, name, kind, value).note(key)

    def effect(line: Line) -> Outcome:
        stay = line.stay(name)
        if stay is None or stay.state != "waiting":
            return line, _no("not_waiting")
        line = early(line)
        return line, _standing(line, name)

    return Ask(lambda desk: desk.bump(name, key, **where), effect, early=early)


def claim(
    count: int, key: str, *, newest: bool = False, at_once: bool = False, repeat: int = 0
) -> Ask:
    """Claim people, or with `at_once` admit them: in rounds, while fewer are there than wanted."""
    hold = key or f"{KEYLESS} {repeat}"

    def own(line: Line, *states: model.State) -> list[str]:
        names = [name for name in line.of(*states) if line.by_name[name].hold == hold]
        return names[::-1] if newest else names

    def early(line: Line) -> Line:
        line = model.all_expired(line, only_over=True)
        wanted = 0 if key in line.done else count - len(own(line, "offered"))
        waiting = line.of("waiting")
        return model.held(line, (waiting[::-1] if newest else waiting)[:wanted], hold)

    def admitted(line: Line, names: list[str]) -> Line:
        for name in names if at_once else ():
            line = model.ended(line, name, "admitted")
        return line

    def effect(line: Line) -> Outcome:
        if key in line.done:
            return line, Told(given=tuple(own(line, "offered", "admitted")))
        line = early(line)
        names = own(line, "offered")
        return admitted(line.note(key) if key else line, names), Told(given=tuple(names))

    def parts(line: Line) -> Iterator[Line]:
        names = set(line.of("waiting"))
        names &= set(own(early(line), "offered"))
        for taken in model.subsets(sorted(names)):
            part = model.held(model.all_expired(line, only_over=True), taken, hold)
            for finished in model.subsets(taken) if at_once else [[]]:
                yield admitted(part.note(key) if key else part, finished)

    send = partial(Desk.claim, count=count, key=key, hold=hold, newest=newest, at_once=at_once)
    anew = partial(claim, count, key, newest=newest, at_once=at_once, repeat=repeat + 1)
    return Ask(send, effect, parts, early, anew=None if key else anew)


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
        return line, refusal or _standing(line, name)

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
            return line, _no("entry_not_found")
        if stay.state == "parked":
            line = model.back_in_line(line, name, to, attempts=0, hold_end="redriven")
        elif stay.state == "admitted":
            return line, _no("already_admitted")
        elif stay.state != "waiting" or stay.hold_end != "redriven":
            return line, _no("not_parked")
        return line, _standing(line, name)

    return Ask(lambda desk: desk.redrive(name, to), effect)


def limit_to(capacity: int) -> Ask:
    return Ask(
        lambda desk: desk.limit_to(capacity),
        lambda line: (replace(line, capacity=capacity), NOTHING),
    )


def sign_up_cut_off(name: str, key: str) -> Ask:
    """A signup whose process died with the place taken and not recorded."""
    return Ask(
        lambda desk: desk.sign_up_cut_off(name, key),
        lambda line: (model.joined(line, name, key), NOTHING),
    )


def let_pass(seconds: float) -> Ask:
    return Ask(lambda desk: desk.let_pass(seconds), nothing_changes)


def let_holds_end() -> Ask:
    """Time passes; nobody notices yet that holds are over."""

    def effect(line: Line) -> Outcome:
        for name in line.of("offered"):
            line = line.change(name, is_over=True)
        return line, NOTHING

    return Ask(lambda desk: desk.let_pass(LEASE_SECONDS + 1), effect)


def notice_ends() -> Ask:
    """Redis ends what is over, and nobody records it."""
    return Ask(
        lambda desk: desk.notice_ends(),
        lambda line: (model.all_expired(line, only_over=True), NOTHING),
    )


def forget(name: str, *keys_of: Callable[[str], str]) -> Ask:
    """Redis has lost what it had of somebody."""
    return Ask(lambda desk: desk.forget(name, *keys_of), nothing_changes)


def lose_redis() -> Ask:
    return Ask(lambda desk: desk.redis.flushall(), nothing_changes)


def look_after() -> Ask:
    """Maintenance of one list: a lost order is rebuilt, whatever is over ends."""
    return Ask(
        lambda desk: desk.look_after(),
        lambda line: (model.all_expired(line, only_over=True), NOTHING),
    )


def finish_intents() -> Ask:
    """Maintenance of whatever was cut off over a minute ago."""
    return Ask(lambda desk: desk.finish_intents(), nothing_changes)


def look(name: str) -> Ask:
    """A look tells the truth of one moment, and changes nothing."""

    def effect(line: Line) -> Outcome:
        return line, _standing(line, name) if line.stay(name) else _no("entry_not_found")

    return Ask(lambda desk: desk.look(name), effect)


def _held(line: Line, name: str, hold: str, hold_end: str) -> tuple[Line, Told | None]:
    """Return whether a token may still act on a hold, or has ended it just so before."""
    stay = line.stay(name)
    if stay is None:
        return line, _no("entry_not_found")
    is_own = stay.hold == hold
    if stay.state == "offered" and is_own and not stay.is_over:
        return line, None
    state = "waiting" if hold_end == "released" else hold_end
    is_repeat = stay.state == state and (state == "admitted" or stay.hold_end == hold_end)
    if is_own and is_repeat:
        return line, None
    return line, _no("claim_expired" if stay.state in ("waiting", *ASIDE) else stay.state)


def _erased(name: str, key: str) -> str:
    return f"{name} was erased after {key}"


def _standing(line: Line, name: str) -> Told:
    position = line.position(name)
    total = None if position is None else len(line.of("waiting"))
    return Told(status=line.by_name[name].state, position=position, total=total)


def _no(code: str) -> Told:
    return Told(refusal=code)
