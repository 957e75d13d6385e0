"""Two faults, one after the other: no answer comes, then Redis is lost, before maintenance has run.

The client repeats what was not answered; Redis is lost before that, within it, or right after it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.reliability.model import faults, operations
from tests.reliability.model.answers import answer_of
from tests.reliability.model.cases import EVERYTHING, SEPARATOR, Result, Sample
from tests.reliability.model.faults import Kind
from tests.reliability.model.following import Judge, noted, retried
from tests.reliability.model.history import History
from tests.reliability.model.operations import Operation
from tests.reliability.model.oracle import Problem
from tests.reliability.model.singles import STEP, steps_of
from tests.reliability.model.stage import Moment, Stage
from tests.support.faults import Wire

FIRST = ("crash after", "time-out with effect")
SECOND = ("Redis lost", "Redis 1 behind", "Redis 2 behind", "Redis 3 behind")
NO_REPEAT = -1
THEN = "then "


@dataclass(frozen=True)
class Sequence:
    """One case: `later` is the step of the repeat before which the second fault strikes.

    It is NO_REPEAT for a client that gives up. As text it is the line that replays it.
    """

    operation: str
    beginning: str
    fault: str
    step: int
    second: str
    later: int

    @property
    def subject(self) -> str:
        return self.operation

    def __str__(self) -> str:
        first, later = f"{STEP}{self.step}", f"{STEP}{self.later}"
        return SEPARATOR.join(
            (self.operation, self.beginning, self.fault, first, THEN + self.second, later)
        )

    @classmethod
    def parse(cls, line: str) -> "Sequence":
        operation, beginning, fault, step, second, later = line.split(SEPARATOR)
        return cls(
            operation,
            beginning,
            fault,
            int(step.removeprefix(STEP)),
            second.removeprefix(THEN),
            int(later.removeprefix(STEP)),
        )


def sequences(
    stage: Stage, operation: Operation, beginning: str, sample: Sample = EVERYTHING
) -> Iterator[Result]:
    """Run an operation from one of its beginnings, with each two faults at each of their steps."""
    moment = stage.moment_of(beginning)
    run = SequenceRun(stage, operation, moment)
    met: set[bytes] = set()
    for step, name in enumerate(steps_of(stage, operation.ask, moment)):
        for fault in FIRST:
            run.begin(faults.BY_NAME[fault], step)
            if (here := run.digest()) in met:
                # What died here and what timed out here have left the same behind.
                continue
            met.add(here)
            repeated = 0 if run.is_answered else run.steps_of_repeat()
            for second in SECOND:
                for later in range(NO_REPEAT, repeated + 1 if repeated else 0):
                    case = Sequence(operation.name, beginning, fault, step, second, later)
                    if sample.has(case):
                        yield Result(case, tuple(run.problems(case)), name)


def replay(stage: Stage, case: Sequence) -> Result:
    """Run one case again."""
    operation = operations.BY_NAME[case.operation]
    run = SequenceRun(stage, operation, stage.moment_of(case.beginning))
    return Result(case, tuple(run.problems(case)))


class SequenceRun:
    """The runs of one operation from one beginning."""

    def __init__(self, stage: Stage, operation: Operation, moment: Moment) -> None:
        self._stage, self._ask, self._moment = stage, operation.ask, moment
        self._history = History()
        self._judge = Judge(stage, moment)
        self.is_answered = False

    def begin(self, kind: Kind, step: int) -> None:
        """Run until the first fault has had its effect."""
        stage = self._stage
        self._history = History(self._moment.unanswered)
        stage.begin(self._moment)
        stage.redis.keeps_past = True
        wire = Wire()
        desk = stage.desk(wire)
        kind.arm(stage, wire, step)
        answer = noted(self._history, self._ask, lambda: answer_of(lambda: self._ask.send(desk)))
        self.is_answered = answer.is_final

    def digest(self) -> bytes:
        """Return a hash of all that the second fault and the client may find."""
        return self._judge.digest(self._history, list(self._stage.redis.past))

    def steps_of_repeat(self) -> int:
        """Repeat with no second fault; return how many steps that took."""
        wire = Wire()
        desk = self._stage.desk(wire)
        answer_of(lambda: self._ask.again().send(desk))
        return len(wire.calls)

    def problems(self, case: Sequence) -> list[Problem]:
        """Run from the beginning; return what is wrong in the end."""
        self.begin(faults.BY_NAME[case.fault], case.step)
        stage, second = self._stage, faults.BY_NAME[case.second]
        if case.later == NO_REPEAT:
            second.happen(stage)
            stage.redis.keeps_past = False
            return self._judge.verdict(self._history)
        wire = Wire()
        desk = stage.desk(wire)
        second.arm(stage, wire, case.later)
        again = self._ask.again()
        answer = noted(self._history, again, lambda: answer_of(lambda: again.send(desk)))
        stage.redis.keeps_past = False
        if not answer.is_final:
            answer = retried(stage, self._history, again)
        if not answer.is_final:
            return [Problem("stuck", f"the last answer is {answer}")]
        return self._judge.verdict(self._history)
