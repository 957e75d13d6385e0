"""Lets the service recover from a fault and then checks the stored data.

During the recovery, clients retry, maintenance runs, and all claims and offers end.
"""

from collections.abc import Callable
from functools import partial

from tests.reliability.model.client import LONG_SECONDS, Client
from tests.reliability.model.final_state import observe
from tests.reliability.model.history import History
from tests.reliability.model.oracle import judge
from tests.reliability.model.outcomes import Outcome
from tests.reliability.model.requests import Request
from tests.reliability.model.sameness import Text, digest_of
from tests.reliability.model.testbed import MINUTE, Snapshot, Testbed
from tests.support import model
from tests.support.model import Waitlist
from tests.support.problem import Problem

TRIES = 6


def recorded_outcome(history: History, request: Request, send: Callable[[], Outcome]) -> Outcome:
    began = history.now()
    answer = send()
    history.note(request, answer, began)
    return answer


def retried(testbed: Testbed, history: History, request: Request) -> Outcome:
    for _ in range(TRIES):
        if testbed.is_cold():
            testbed.maintain()
        request = request.again()
        answer = recorded_outcome(history, request, partial(testbed.send_elsewhere, request.send))
        if answer.is_final:
            break
    return answer


def refused_tokens(testbed: Testbed, ends: set[Waitlist]) -> list[Problem]:
    """Completing a claim a second time with the same token must succeed."""
    admitted = set.intersection(*(set(end.of("admitted")) for end in ends))
    found = []
    for hold, tokens in list(testbed.tokens.items()):
        for name in admitted & set(tokens):
            if all(end.by_name[name].hold == hold for end in ends):
                answer = testbed.send_elsewhere(partial(Client.complete, name=name, hold=hold))
                if answer.status != "admitted":
                    found.append(
                        Problem("token", f"{name} was admitted, but the response is {answer}")
                    )
    return found


class Judge:
    """Checks the data at the end of a case, unless the same data was checked for an earlier
    case.
    """

    def __init__(self, testbed: Testbed, snapshot: Snapshot) -> None:
        self._testbed, self._snapshot = testbed, snapshot
        self._judged: dict[bytes, list[Problem]] = {}

    def digest(self, history: History, more: object = None) -> bytes:
        heard = [(attempt.answer, attempt.began, attempt.ended) for attempt in history.attempts]
        known = Text.of((heard, self._testbed.tokens, more), self._snapshot.millis)
        return digest_of([*self._testbed.texts(), known], self._snapshot.millis)

    def verdict(self, history: History) -> list[Problem]:
        if self._testbed.table.is_behind:
            return verdict(self._testbed, history, self._snapshot.line)
        here = self.digest(history)
        if here not in self._judged:
            self._judged[here] = verdict(self._testbed, history, self._snapshot.line)
        return self._judged[here]


def verdict(testbed: Testbed, history: History, line: Waitlist) -> list[Problem]:
    """Check the stored data after maintenance, and again after all claims and offers have ended."""
    defects = [one.answer.code for one in history.attempts if one.answer.verdict == "defect"]
    if defects:
        return [Problem("defect", str(defects))]
    testbed.maintain_until_quiet()
    # After admissions have ended, maintenance removes the people who are still waiting. It may do
    # so before or after the requests.
    begins = {line, model.all_left(line)}
    ends = {model.all_left(end) for begin in begins for end in history.ends(begin)}
    if not ends:
        answers = [str(one.answer) for one in history.attempts]
        return [Problem("answer", f"no order of requests explains {answers}")]
    found = observe(testbed)
    answered = frozenset(
        one.request.event for one in history.attempts if one.answer.verdict == "done"
    )
    soon = judge(ends, found, testbed.tokens, answered) + refused_tokens(testbed, ends)
    if not found.held and not any(end.of("offered") for end in ends):
        return soon
    testbed.wait(LONG_SECONDS + MINUTE)
    testbed.maintain_until_quiet()
    expired = {over for end in ends for over in model.all_over(end)}
    late = judge(expired, observe(testbed), testbed.tokens, answered)
    known = {problem.kind for problem in soon}
    return soon + [problem.later() for problem in late if problem.kind not in known]
