"""One request: how it is sent, and what should come of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.reliability.model.desk import Desk
from tests.reliability.model.model import Line


@dataclass(frozen=True, kw_only=True)
class Told:
    """What an answer must say: a refusal's code, or where the person stands, or who is given.

    `is_either` allows what another request has ended meanwhile to be told as done or as refused;
    `rows` are the words that may be told of each row of an import.
    """

    refusal: str = ""
    is_either: bool = False
    status: str = ""
    position: int | None = None
    total: int | None = None
    given: tuple[str, ...] = ()
    rows: tuple[frozenset[str], ...] = ()


Outcome = tuple[Line, Told]
NOTHING = Told()
# An intent, and its place.
EARLY_STEPS = 2


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
    what others may see of it before its answer is made, one of `early_steps` at a time; `look`
    notes what its answer will tell as it is now; `refusals` are codes that say what others have
    done meanwhile. `anew` makes the repeat that is a request of its own; `unanswered` is the
    request that this one leaves behind, without an answer; `event` is what a history has of it.
    """

    send: Callable[[Desk], Any]
    effect: Callable[[Line], Outcome]
    parts: Callable[[Line], Iterator[Line]] = _no_parts
    early: Callable[[Line], Line] = _nothing_early
    early_steps: int = EARLY_STEPS
    look: Callable[[Line], Line] = _nothing_early
    refusals: Callable[[Line], tuple[str, ...]] = _no_refusals
    anew: Callable[[], "Ask"] | None = None
    unanswered: "Ask | None" = None
    event: str = ""

    def again(self) -> "Ask":
        """Return what a client sends who repeats this."""
        return self.anew() if self.anew else self


def nothing_changes(line: Line) -> Outcome:
    return line, NOTHING


def standing(line: Line, name: str) -> Told:
    position = line.position(name)
    total = None if position is None else len(line.of("waiting"))
    return Told(status=line.by_name[name].state, position=position, total=total)


def no(code: str) -> Told:
    return Told(refusal=code)
