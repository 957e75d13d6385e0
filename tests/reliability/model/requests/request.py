"""A request: how to send it, its effect on the model, its expected answer."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.reliability.model.client import Client
from tests.support.model import Waitlist


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The answer that a request must get: a refusal's code, the position, or the claimed entries.

    With `is_either` the answer may be a success or a refusal, because another request has ended
    the stay. `rows` are the words that each row of an import may get.
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
# The intent, then the place.
EARLY_STEPS = 2


def _no_parts(_: Waitlist) -> Iterator[Waitlist]:
    return iter(())


def _nothing_early(line: Waitlist) -> Waitlist:
    return line


def _no_refusals(_: Waitlist) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Request:
    """One request; its repeat is the same request to the service.

    `effect` returns the queue after the whole request, and the expected answer. If the client got
    no answer, `parts` yields the partial effects that are also allowed. `early` makes the next of
    `early_steps` changes that other clients may see before the answer. `look` stores what the
    request reads now and answers later. `refusals` are codes that another request's change
    allows. `repeat` makes the repeat of a request without an idempotency key. `unanswered` is a
    request that this one starts and that never gets an answer; `event` is its word in a history.
    `given` is the effect of a request that was given these entries, whatever the order was.
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
        """Return the request that a client sends as a repeat."""
        return self.repeat() if self.repeat else self


def nothing_changes(line: Waitlist) -> Effect:
    return line, NOTHING


def standing(line: Waitlist, name: str) -> Expected:
    position = line.position(name)
    total = None if position is None else len(line.of("waiting"))
    return Expected(status=line.by_name[name].state, position=position, total=total)


def no(code: str) -> Expected:
    return Expected(refusal=code)
