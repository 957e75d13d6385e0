"""What follows a fault: clients repeat what was not answered, maintenance runs, holds end."""

from collections.abc import Callable
from functools import partial

from tests.reliability.model import model
from tests.reliability.model.answers import Answer
from tests.reliability.model.asks import Ask
from tests.reliability.model.desk import LONG_SECONDS, Desk
from tests.reliability.model.history import History
from tests.reliability.model.model import Line
from tests.reliability.model.observed import observe
from tests.reliability.model.oracle import Problem, judge
from tests.reliability.model.sameness import Text, digest_of
from tests.reliability.model.stage import MINUTE, Moment, Stage

TRIES = 6


def noted(history: History, ask: Ask, send: Callable[[], Answer]) -> Answer:
    """Send a request, and keep what was heard in the history."""
    began = history.now()
    answer = send()
    history.note(ask, answer, began)
    return answer


def retried(stage: Stage, history: History, ask: Ask) -> Answer:
    """Repeat the same request, to another process, until an answer is final."""
    for _ in range(TRIES):
        if stage.is_cold():
            stage.maintain()
        ask = ask.again()
        answer = noted(history, ask, partial(stage.ask_elsewhere, ask.send))
        if answer.is_final:
            break
    return answer


def refused_tokens(stage: Stage, ends: set[Line]) -> list[Problem]:
    """Return of whom it cannot be said again, by the token that did so, that they are admitted."""
    admitted = set.intersection(*(set(end.of("admitted")) for end in ends))
    found = []
    for hold, tokens in list(stage.tokens.items()):
        for name in admitted & set(tokens):
            if all(end.by_name[name].hold == hold for end in ends):
                answer = stage.ask_elsewhere(partial(Desk.complete, name=name, hold=hold))
                if answer.status != "admitted":
                    found.append(Problem("token", f"of {name}, admitted, is heard {answer}"))
    return found


class Judge:
    """Judges the ends of cases that have one beginning and one request, equal ones only once."""

    def __init__(self, stage: Stage, moment: Moment) -> None:
        self._stage, self._moment = stage, moment
        self._judged: dict[bytes, list[Problem]] = {}

    def digest(self, history: History, more: object = None) -> bytes:
        """Return a hash of both stores and of what the client has heard."""
        heard = [(attempt.answer, attempt.began, attempt.ended) for attempt in history.attempts]
        known = Text.of((heard, self._stage.tokens, more), self._moment.millis)
        return digest_of([*self._stage.texts(), known], self._moment.millis)

    def verdict(self, history: History) -> list[Problem]:
        """Let maintenance run, then all holds end; return what is wrong at either time."""
        if self._stage.table.is_behind:
            return verdict(self._stage, history, self._moment.line)
        here = self.digest(history)
        if here not in self._judged:
            self._judged[here] = verdict(self._stage, history, self._moment.line)
        return self._judged[here]


def verdict(stage: Stage, history: History, line: Line) -> list[Problem]:
    """Let maintenance run, then all holds end; return what is wrong at either time."""
    defects = [one.answer.code for one in history.attempts if one.answer.verdict == "defect"]
    if defects:
        return [Problem("defect", str(defects))]
    stage.maintain_until_quiet()
    ends = history.ends(line)
    if not ends:
        answers = [str(one.answer) for one in history.attempts]
        return [Problem("answer", f"no order of requests explains {answers}")]
    found = observe(stage)
    answered = frozenset(one.ask.event for one in history.attempts if one.answer.verdict == "done")
    soon = judge(ends, found, stage.tokens, answered) + refused_tokens(stage, ends)
    if not found.held and not any(end.of("offered") for end in ends):
        return soon
    stage.wait(LONG_SECONDS + MINUTE)
    stage.maintain_until_quiet()
    expired = {model.all_expired(end) for end in ends}
    late = judge(expired, observe(stage), stage.tokens, answered)
    known = {problem.kind for problem in soon}
    return soon + [problem.later() for problem in late if problem.kind not in known]
