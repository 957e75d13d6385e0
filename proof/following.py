"""What follows a fault: clients repeat what was not answered, maintenance runs, holds end."""

from collections.abc import Callable
from functools import partial

from proof import model
from proof.answers import Answer
from proof.asks import Ask
from proof.desk import LONG_SECONDS, Desk
from proof.history import History
from proof.model import Line
from proof.observed import observe
from proof.oracle import Problem, judge
from proof.stage import MINUTE, Stage

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
    soon = judge(ends, found, stage.tokens) + refused_tokens(stage, ends)
    if not found.held and not any(end.of("offered") for end in ends):
        return soon
    stage.wait(LONG_SECONDS + MINUTE)
    stage.maintain_until_quiet()
    late = judge({model.all_expired(end) for end in ends}, observe(stage), stage.tokens)
    known = {problem.kind for problem in soon}
    return soon + [problem.later() for problem in late if problem.kind not in known]
