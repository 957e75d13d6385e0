"""Which orders of requests explain the answers that were given, and where each would have led."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tests.reliability.model.answers import Answer
from tests.reliability.model.asks import Ask, Told
from tests.reliability.model.model import Line


@dataclass(frozen=True)
class Attempt:
    """One sending of a request; `ended` is None where its effect may still come.

    `early` counts what of it was seen before its answer was made.
    """

    ask: Ask
    answer: Answer
    began: int
    ended: int | None
    early: int = 0

    @property
    def is_answered(self) -> bool:
        return self.answer.verdict in ("done", "refused")


class History:
    """The attempts of all clients, on a clock that counts what they sent and heard."""

    def __init__(self, unanswered: Iterable[Ask] = ()) -> None:
        silence = Answer(verdict="silent")
        self.attempts = [Attempt(ask, silence, began=0, ended=None) for ask in unanswered]
        self._time = 0

    def now(self) -> int:
        self._time += 1
        return self._time

    def note(self, ask: Ask, answer: Answer, began: int) -> None:
        is_over = answer.verdict in ("done", "refused")
        self.attempts.append(Attempt(ask, answer, began, self.now() if is_over else None))

    def leave_unanswered(self, ask: Ask) -> None:
        """Note a request whose process died: it has happened, will happen, or never does."""
        silence = Answer(verdict="silent")
        self.attempts.append(Attempt(ask, silence, began=self.now(), ended=None))

    def ends(self, line: Line) -> set[Line]:
        """Return where the line may be now; nothing if no order explains the answers."""
        return set(_ends(tuple(self.attempts), line, set()))


# Whoever is on the way out is out for everybody else.
ALIASES = {"leaving": "left"}
Seen = set[tuple[tuple[Attempt, ...], Line]]


def _ends(attempts: tuple[Attempt, ...], line: Line, seen: Seen) -> Iterator[Line]:
    if (attempts, line) in seen:
        return
    seen.add((attempts, line))
    is_whole = not any(stay.state == "joining" for _, stay in line.stays)
    if is_whole and not any(attempt.is_answered for attempt in attempts):
        yield line
    for number, attempt in enumerate(attempts):
        others = attempts[:number] + attempts[number + 1 :]
        if any(one.ended is not None and one.ended < attempt.began for one in others):
            continue
        if attempt.is_answered and any(other.is_answered for other in others):
            yield from _ends(attempts, attempt.ask.look(line), seen)
        for following in _effects(attempt, line):
            yield from _ends(others, following, seen)
        if attempt.early < attempt.ask.early_steps and (early := attempt.ask.early(line)) != line:
            begun = replace(attempt, early=attempt.early + 1)
            these = (*attempts[:number], begun, *attempts[number + 1 :])
            yield from _ends(these, early, seen)


def _effects(attempt: Attempt, line: Line) -> Iterator[Line]:
    """Yield what an attempt may have made of the line, as far as its answer allows it."""
    following, told = attempt.ask.effect(line)
    if not attempt.is_answered:
        yield from attempt.ask.parts(line)
        yield following
    elif _agree(attempt.answer, told):
        yield following
    elif attempt.answer.verdict == "refused" and attempt.answer.code in attempt.ask.refusals(line):
        yield line


def _agree(answer: Answer, told: Told) -> bool:
    if answer.verdict == "refused":
        return bool(told.refusal) or told.is_either
    if told.refusal:
        return told.is_either
    if not _agree_on_rows(answer, told):
        return False
    given = tuple(name for name, _ in answer.given)
    # While an order is rebuilt nobody is told a position.
    place = (answer.position, answer.total)
    is_true_place = place in ((told.position, told.total), (None, None))
    status = ALIASES.get(answer.status, answer.status)
    return status == told.status and given == told.given and is_true_place


def _agree_on_rows(answer: Answer, told: Told) -> bool:
    if len(answer.rows) != len(told.rows):
        return False
    return all(word in words for word, words in zip(answer.rows, told.rows, strict=True))
