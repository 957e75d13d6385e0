"""Cases with a single fault at one step of an operation. The client then retries or gives up."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tests.reliability.model import faults, operations
from tests.reliability.model.cases import EVERYTHING, STEP, OfOneOperation, Result, Sample
from tests.reliability.model.faults import Kind
from tests.reliability.model.history import History
from tests.reliability.model.operations import Operation
from tests.reliability.model.outcomes import outcome_of
from tests.reliability.model.recovery import Judge, recorded_outcome, retried
from tests.reliability.model.requests import Request
from tests.reliability.model.testbed import Snapshot, Testbed
from tests.support.faults import Wire
from tests.support.problem import Problem

RETRIES, GIVES_UP = "retries", "gives up"
THE_END = "the end"


@dataclass(frozen=True)
class Single(OfOneOperation):
    WORDS: ClassVar[dict[str, str]] = {"step": STEP}

    fault: str
    step: int
    follow_up: str


def singles(
    testbed: Testbed, operation: Operation, scenario: str, sample: Sample = EVERYTHING
) -> Iterator[Result]:
    snapshot = testbed.snapshot_of(scenario)
    judge = Judge(testbed, snapshot)
    steps = [*steps_of(testbed, operation.request, snapshot), THE_END]
    for kind in faults.KINDS:
        for step in kind.steps(len(steps) - 1):
            for follow_up in (GIVES_UP, RETRIES):
                case = Single(operation.name, scenario, kind.name, step, follow_up)
                if not sample.has(case):
                    continue
                run = SingleRun(testbed, operation.request, snapshot, judge)
                problems = run.problems(kind, step, follow_up)
                # A client that has received the response does not retry, so there is no case with a
                # retry.
                if follow_up == GIVES_UP or not run.is_answered_at_once:
                    yield Result(case, tuple(problems), steps[step])


def replay(testbed: Testbed, case: Single) -> Result:
    operation = operations.BY_NAME[case.operation]
    snapshot = testbed.snapshot_of(case.scenario)
    steps = [*steps_of(testbed, operation.request, snapshot), THE_END]
    run = SingleRun(testbed, operation.request, snapshot, Judge(testbed, snapshot))
    problems = run.problems(faults.BY_NAME[case.fault], case.step, case.follow_up)
    return Result(case, tuple(problems), steps[case.step])


def steps_of(testbed: Testbed, request: Request, snapshot: Snapshot) -> list[str]:
    testbed.begin(snapshot)
    wire = Wire()
    client = testbed.client(wire)
    outcome_of(lambda: request.send(client))
    return wire.names


class SingleRun:
    def __init__(
        self, testbed: Testbed, request: Request, snapshot: Snapshot, judge: Judge
    ) -> None:
        self._testbed, self._request, self._snapshot, self._judge = (
            testbed,
            request,
            snapshot,
            judge,
        )
        self.is_answered_at_once = False

    def problems(self, kind: Kind, step: int, follow_up: str) -> list[Problem]:
        testbed = self._testbed
        history = History(
            self._snapshot.unanswered, is_blind=kind.is_unseen, may_lose=kind.loses_redis
        )
        testbed.begin(self._snapshot)
        testbed.redis.keeps_past = kind.keeps_past
        wire = Wire()
        client = testbed.client(wire)
        kind.arm(testbed, wire, step)
        answer = recorded_outcome(
            history, self._request, lambda: outcome_of(lambda: self._request.send(client))
        )
        testbed.redis.keeps_past = False
        self.is_answered_at_once = answer.is_final
        if follow_up == RETRIES and answer.is_final:
            return []
        if follow_up == RETRIES:
            answer = retried(testbed, history, self._request)
            if not answer.is_final:
                return [Problem("stuck", f"the last answer is {answer}")]
        return self._judge.verdict(history)
