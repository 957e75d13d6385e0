"""Cases with two faults.

A request gets no response, and then Redis loses its data before, during or right after the client's
retry. Maintenance has not run yet.
"""

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
from tests.reliability.model.singles import steps_of
from tests.reliability.model.testbed import Snapshot, Testbed
from tests.support.faults import Wire
from tests.support.problem import Problem

FIRST = ("crash after", "time-out with effect")
SECOND = ("Redis lost", "Redis 1 behind", "Redis 2 behind", "Redis 3 behind")
NO_REPEAT = -1
THEN = "then "


@dataclass(frozen=True)
class Sequence(OfOneOperation):
    """A case in which a request meets one fault, and the client's retry meets a second one.

    `later` is the step of the retry at which the second fault happens, or NO_REPEAT if the client
    does not retry.
    """

    WORDS: ClassVar[dict[str, str]] = {"step": STEP, "second": THEN, "later": STEP}

    fault: str
    step: int
    second: str
    later: int


def sequences(
    testbed: Testbed, operation: Operation, scenario: str, sample: Sample = EVERYTHING
) -> Iterator[Result]:
    snapshot = testbed.snapshot_of(scenario)
    run = SequenceRun(testbed, operation, snapshot)
    met: set[bytes] = set()
    for step, name in enumerate(steps_of(testbed, operation.request, snapshot)):
        for fault in FIRST:
            run.begin(faults.BY_NAME[fault], step)
            if (here := run.digest()) in met:
                # Skip this fault, because another fault at the same step has led to the same state.
                continue
            met.add(here)
            repeated = 0 if run.is_answered else run.steps_of_repeat()
            for second in SECOND:
                for later in range(NO_REPEAT, repeated + 1 if repeated else 0):
                    case = Sequence(operation.name, scenario, fault, step, second, later)
                    if sample.has(case):
                        yield Result(case, tuple(run.problems(case)), name)


def replay(testbed: Testbed, case: Sequence) -> Result:
    operation = operations.BY_NAME[case.operation]
    run = SequenceRun(testbed, operation, testbed.snapshot_of(case.scenario))
    return Result(case, tuple(run.problems(case)))


class SequenceRun:
    def __init__(self, testbed: Testbed, operation: Operation, snapshot: Snapshot) -> None:
        self._testbed, self._request, self._snapshot = testbed, operation.request, snapshot
        self._history = History()
        self._judge = Judge(testbed, snapshot)
        self.is_answered = False

    def begin(self, kind: Kind, step: int) -> None:
        testbed = self._testbed
        self._history = History(self._snapshot.unanswered, may_lose=True)
        testbed.begin(self._snapshot)
        testbed.redis.keeps_past = True
        wire = Wire()
        client = testbed.client(wire)
        kind.arm(testbed, wire, step)
        answer = recorded_outcome(
            self._history, self._request, lambda: outcome_of(lambda: self._request.send(client))
        )
        self.is_answered = answer.is_final

    def digest(self) -> bytes:
        return self._judge.digest(self._history, list(self._testbed.redis.past))

    def steps_of_repeat(self) -> int:
        wire = Wire()
        client = self._testbed.client(wire)
        outcome_of(lambda: self._request.again().send(client))
        return len(wire.calls)

    def problems(self, case: Sequence) -> list[Problem]:
        self.begin(faults.BY_NAME[case.fault], case.step)
        testbed, second = self._testbed, faults.BY_NAME[case.second]
        if case.later == NO_REPEAT:
            second.happen(testbed)
            testbed.redis.keeps_past = False
            return self._judge.verdict(self._history)
        wire = Wire()
        client = testbed.client(wire)
        second.arm(testbed, wire, case.later)
        again = self._request.again()
        answer = recorded_outcome(
            self._history, again, lambda: outcome_of(lambda: again.send(client))
        )
        testbed.redis.keeps_past = False
        if not answer.is_final:
            answer = retried(testbed, self._history, again)
        if not answer.is_final:
            return [Problem("stuck", f"the last answer is {answer}")]
        return self._judge.verdict(self._history)
