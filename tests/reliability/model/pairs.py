"""Model checker cases with two operations on the same entry.

The operations run at the same time, and their steps are interleaved in every possible order.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.reliability.model import operations
from tests.reliability.model.cases import SEPARATOR, Result
from tests.reliability.model.history import History
from tests.reliability.model.operations import Operation
from tests.reliability.model.outcomes import Outcome, outcome_of
from tests.reliability.model.recovery import recorded_outcome, retried, verdict
from tests.reliability.model.requests import Request
from tests.reliability.model.sameness import Text, digest_of
from tests.reliability.model.scenarios import (
    ADMISSION_OVER,
    LIMITED,
    NUMBERED,
    QUESTION,
    SLOTS,
    UNTIL_END,
    is_cold,
    made_cold,
)
from tests.reliability.model.scheduler import HaltingWire, Scheduler, Work
from tests.reliability.model.testbed import Snapshot, StepState, Testbed
from tests.support.problem import Problem

BOTH = " + "
# Operations with between a dozen and forty steps. Most of the steps read data that the other
# operation may change.
LONG = ("rebuild", "end of questions", "segment re-index")
MOST_CHANGES = 3


@dataclass(frozen=True)
class Pair:
    first: str
    second: str
    scenario: str
    schedule: str

    @property
    def subject(self) -> str:
        return f"{self.first}{BOTH}{self.second}"

    def __str__(self) -> str:
        return SEPARATOR.join((self.subject, self.scenario, self.schedule))

    @classmethod
    def parse(cls, line: str) -> "Pair":
        names, scenario, schedule = line.split(SEPARATOR)
        first, second = names.split(BOTH)
        return cls(first, second, scenario, schedule)


def scenarios_of(first: Operation, second: Operation) -> list[str]:
    """Return the scenarios (prepared waitlists) in which the two operations run at the same time.

    A rebuild runs only in scenarios in which Redis has lost its data. Rare scenarios, such as those
    with call numbers, are used only if both operations list them.
    """
    both = {*first.scenarios} & {*second.scenarios}
    if any(name.startswith(QUESTION) for name in (first.scenarios[0], second.scenarios[0])):
        return [name for name in first.scenarios if name in both]
    warm = [
        name
        for name in (*first.scenarios, *second.scenarios)
        if not is_cold(name)
        and (
            name in both
            or not name.startswith((*SLOTS, QUESTION, LIMITED, NUMBERED, UNTIL_END, ADMISSION_OVER))
        )
    ]
    if all(map(is_cold, first.scenarios)) or all(map(is_cold, second.scenarios)):
        # Leave out the `joining` scenario, in which a signup that got no response may lose its
        # place.
        cold = [made_cold(name) for name in warm if name != "joining"]
        warm = cold or [*first.scenarios]
    return list(dict.fromkeys(warm))


def interleavings(
    testbed: Testbed, first: Operation, second: Operation, scenario: str
) -> Iterator[Result]:
    run = PairRun(testbed, (first, second), testbed.snapshot_of(scenario))
    for schedule in run.turns.ends():
        case = Pair(first.name, second.name, scenario, schedule)
        yield Result(case, tuple(run.problems()))


def replay(testbed: Testbed, case: Pair) -> Result:
    pair = operations.BY_NAME[case.first], operations.BY_NAME[case.second]
    run = PairRun(testbed, pair, testbed.snapshot_of(case.scenario))
    run.turns.follow(case.schedule)
    return Result(case, tuple(run.problems()))


class PairRun:
    def __init__(
        self, testbed: Testbed, pair: tuple[Operation, Operation], snapshot: Snapshot
    ) -> None:
        self._testbed, self._snapshot = testbed, snapshot
        self.history = History()
        first, second = (operation.request for operation in pair)
        works = self._work(first), self._work(second.again())
        is_long = any(operation.name in LONG for operation in pair)
        self.turns = Scheduler(self, works, MOST_CHANGES if is_long else None)

    @property
    def time(self) -> Any:
        return self._testbed.time

    def set_time(self, time: Any) -> None:
        self._testbed.set_time(time)

    def begin(self) -> None:
        self._testbed.begin(self._snapshot)
        self.history = History(self._snapshot.unanswered)

    def step_state(self) -> StepState:
        return self._testbed.step_state()

    def put(self, step_state: StepState) -> None:
        self._testbed.put(step_state)

    def text(self, value: Any) -> Text:
        return Text.of(value, self._snapshot.millis)

    def digest(self, more: list[Text]) -> bytes:
        return digest_of([*self._testbed.texts(), *more], self._snapshot.millis)

    def _work(self, request: Request) -> Work:
        def work(wire: HaltingWire) -> Outcome:
            client = self._testbed.client(wire, wire.watched(self._testbed.clock.now_millis))
            return recorded_outcome(
                self.history, request, lambda: outcome_of(lambda: request.send(client))
            )

        return work

    def problems(self) -> list[Problem]:
        for attempt in list(self.history.attempts)[len(self._snapshot.unanswered) :]:
            if not attempt.answer.is_final:
                answer = retried(self._testbed, self.history, attempt.request)
                if not answer.is_final:
                    return [Problem("stuck", f"the last answer is {answer}")]
        return verdict(self._testbed, self.history, self._snapshot.line)
