"""Finds all orders of the requests that explain every response, and the state of the queue after
each order.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from tests.reliability.model.outcomes import Outcome
from tests.reliability.model.requests import Expected, Request
from tests.support.model import (
    Waitlist,
    by_itself,
    hours_passed,
    question_followed,
    questions_followed,
    slots_lost,
)


@dataclass(frozen=True)
class Attempt:
    """A request that was sent once.

    If `ended` is None, the request may still take effect later. `early` says how many of the
    request's changes other requests could see before its response.
    """

    request: Request
    answer: Outcome
    began: int
    ended: int | None
    early: int = 0

    @property
    def is_answered(self) -> bool:
        return self.answer.verdict in ("done", "refused")


class History:
    """All clients' requests and responses.

    Times are numbers that increase by one. If `is_blind` is true, the service did not notice that
    Redis had lost writes. Responses may then be outdated, so only the effects of the requests are
    checked. If `may_lose` is true, Redis lost its data at some point and may have lost slots, which
    are permissions for offers.
    """

    def __init__(
        self,
        unanswered: Iterable[Request] = (),
        *,
        is_blind: bool = False,
        may_lose: bool = False,
    ) -> None:
        self._is_blind, self._may_lose = is_blind, may_lose
        silence = Outcome(verdict="silent")
        self.attempts = [Attempt(request, silence, began=0, ended=None) for request in unanswered]
        self._time = 0

    def now(self) -> int:
        self._time += 1
        return self._time

    def note(self, request: Request, answer: Outcome, began: int) -> None:
        is_over = answer.verdict in ("done", "refused")
        self.attempts.append(Attempt(request, answer, began, self.now() if is_over else None))

    def leave_unanswered(self, request: Request) -> None:
        """A request whose process crashed may take effect now, later or never."""
        silence = Outcome(verdict="silent")
        self.attempts.append(Attempt(request, silence, began=self.now(), ended=None))

    def ends(self, line: Waitlist) -> set[Waitlist]:
        """Return the possible final states. There are none if no order of the requests explains the
        responses.
        """
        effects = _blind_effects if self._is_blind else _effects
        line = replace(line, may_lose=self._may_lose)
        found = _ends(tuple(self.attempts), line, set(), effects)
        return {replace(end, may_lose=False) for end in found}


# To all other requests, an entry with status `leaving` has left.
ALIASES = {"leaving": "left"}
Seen = set[tuple[tuple[Attempt, ...], Waitlist]]
EffectsOf = Callable[[Attempt, Waitlist], Iterator[Waitlist]]


def _ends(
    attempts: tuple[Attempt, ...], line: Waitlist, seen: Seen, effects: EffectsOf
) -> Iterator[Waitlist]:
    if (attempts, line) in seen:
        return
    seen.add((attempts, line))
    is_whole = not any(stay.state == "joining" for _, stay in line.stays)
    if is_whole and not any(attempt.is_answered for attempt in attempts):
        yield from questions_followed(by_itself(line))
    # The admission policy may run at any time, because polls and maintenance run it.
    for following in (by_itself(line), hours_passed(line), *question_followed(line)):
        if following != line:
            yield from _ends(attempts, following, seen, effects)
    if line.may_lose and (lost := slots_lost(line)) != line:
        yield from _ends(attempts, lost, seen, effects)
    for number, attempt in enumerate(attempts):
        others = attempts[:number] + attempts[number + 1 :]
        if any(one.ended is not None and one.ended < attempt.began for one in others):
            continue
        if attempt.is_answered and any(other.is_answered for other in others):
            yield from _ends(attempts, attempt.request.look(line), seen, effects)
        for following in effects(attempt, line):
            yield from _ends(others, following, seen, effects)
        if (
            attempt.early < attempt.request.early_steps
            and (early := attempt.request.early(line)) != line
        ):
            begun = replace(attempt, early=attempt.early + 1)
            these = (*attempts[:number], begun, *attempts[number + 1 :])
            yield from _ends(these, early, seen, effects)


def _effects(attempt: Attempt, line: Waitlist) -> Iterator[Waitlist]:
    following, expected = attempt.request.effect(line)
    if not attempt.is_answered:
        yield from attempt.request.parts(line)
        yield following
    elif _agree(attempt.answer, expected):
        yield following
    elif attempt.answer.verdict == "refused" and attempt.answer.code in attempt.request.refusals(
        line
    ):
        yield line


def _blind_effects(attempt: Attempt, line: Waitlist) -> Iterator[Waitlist]:
    """Yield a request's possible effects if Redis may have lost writes. Positions in the response
    may be wrong, but entries that the response calls claimed are claimed.
    """
    if not attempt.is_answered:
        yield from _effects(attempt, line)
    elif attempt.answer.verdict == "refused":
        yield line
    elif attempt.request.given is not None:
        yield attempt.request.given(line, tuple(name for name, _ in attempt.answer.given))
    else:
        following, expected = attempt.request.effect(line)
        if not expected.refusal or expected.is_either:
            yield following


def _agree(answer: Outcome, expected: Expected) -> bool:
    if answer.verdict == "refused":
        return bool(expected.refusal) or expected.is_either
    if expected.refusal:
        return expected.is_either
    if not _agree_on_rows(answer, expected):
        return False
    given = tuple(name for name, _ in answer.given)
    # While the queue is being rebuilt, responses contain no position.
    place = (answer.position, answer.total)
    is_true_place = place in ((expected.position, expected.total), (None, None))
    status = ALIASES.get(answer.status, answer.status)
    return status == expected.status and given == expected.given and is_true_place


def _agree_on_rows(answer: Outcome, expected: Expected) -> bool:
    if len(answer.rows) != len(expected.rows):
        return False
    return all(word in words for word, words in zip(answer.rows, expected.rows, strict=True))
