"""Describes requests to the service: how each is sent, how it changes the model, and which response
is expected.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.reliability.model.client import Client
from tests.support.model import Waitlist


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The response that a request must get.

    If `is_either` is true, a success and a refusal are both correct. `rows` contains the possible
    results of each imported row.
    """

    refusal: str = ""
    is_either: bool = False
    status: str = ""
    position: int | None = None
    total: int | None = None
    given: tuple[str, ...] = ()
    rows: tuple[frozenset[str], ...] = ()


Effect = tuple[Waitlist, Expected]
NOTHING = Expected()
# By default, a request makes two changes that other clients can see. A signup, for example, first
# begins, and then its entry gets a place.
EARLY_STEPS = 2


def _no_parts(_: Waitlist) -> Iterator[Waitlist]:
    return iter(())


def _nothing_early(line: Waitlist) -> Waitlist:
    return line


def _no_refusals(_: Waitlist) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Request:
    """A request and its effect on the model.

    `effect` returns the queue after the whole request, and the expected answer.

    If the client got no answer, `parts` yields the partial effects that are also allowed.

    `early` makes the next of the `early_steps` changes that other clients may see before the
    answer.

    `look` stores the data that the request reads now and uses later in its answer.

    `refusals` returns the codes with which the request may be refused because another request has
    changed the entry.

    `repeat` creates the next attempt of a request that has no idempotency key.

    `unanswered` is a request that this request starts and that never gets an answer.

    `event` is the request's event in a history.

    `given` is the effect of a request whose answer contained these entries, in any order.
    """

    send: Callable[[Client], Any]
    effect: Callable[[Waitlist], Effect]
    parts: Callable[[Waitlist], Iterator[Waitlist]] = _no_parts
    early: Callable[[Waitlist], Waitlist] = _nothing_early
    early_steps: int = EARLY_STEPS
    look: Callable[[Waitlist], Waitlist] = _nothing_early
    refusals: Callable[[Waitlist], tuple[str, ...]] = _no_refusals
    repeat: Callable[[], "Request"] | None = None
    unanswered: "Request | None" = None
    event: str = ""
    given: Callable[[Waitlist, tuple[str, ...]], Waitlist] | None = None

    def again(self) -> "Request":
        return self.repeat() if self.repeat else self


def nothing_changes(line: Waitlist) -> Effect:
    return line, NOTHING


def standing(line: Waitlist, name: str) -> Expected:
    position = line.position(name)
    total = None if position is None else len(line.of("waiting"))
    return Expected(status=line.by_name[name].state, position=position, total=total)


def no(code: str) -> Expected:
    return Expected(refusal=code)
