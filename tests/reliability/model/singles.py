"""One operation, struck by one fault at one step; then the client retries or gives up."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.reliability.model import faults, operations
from tests.reliability.model.answers import answer_of
from tests.reliability.model.asks import Ask
from tests.reliability.model.cases import EVERYTHING, SEPARATOR, Result, Sample
from tests.reliability.model.faults import Kind
from tests.reliability.model.following import Judge, noted, retried
from tests.reliability.model.history import History
from tests.reliability.model.operations import Operation
from tests.reliability.model.oracle import Problem
from tests.reliability.model.stage import Moment, Stage
from tests.support.faults import Wire

RETRIES, GIVES_UP = "retries", "gives up"
STEP = "step "
THE_END = "the end"


@dataclass(frozen=True)
class Single:
    """One case; as text it is the line that replays it."""

    operation: str
    beginning: str
    fault: str
    step: int
    follow_up: str

    @property
    def subject(self) -> str:
        return self.operation

    def __str__(self) -> str:
        step = f"{STEP}{self.step}"
        return SEPARATOR.join((self.operation, self.beginning, self.fault, step, self.follow_up))

    @classmethod
    def parse(cls, line: str) -> "Single":
        operation, beginning, fault, step, follow_up = line.split(SEPARATOR)
        return cls(operation, beginning, fault, int(step.removeprefix(STEP)), follow_up)


def singles(
    stage: Stage, operation: Operation, beginning: str, sample: Sample = EVERYTHING
) -> Iterator[Result]:
    """Run an operation from one of its beginnings, with each fault at each step."""
    moment = stage.moment_of(beginning)
    judge = Judge(stage, moment)
    steps = [*steps_of(stage, operation.ask, moment), THE_END]
    for kind in faults.KINDS:
        for step, name in enumerate(steps if kind.is_between else steps[:-1]):
            for follow_up in (GIVES_UP, RETRIES):
                case = Single(operation.name, beginning, kind.name, step, follow_up)
                if not sample.has(case):
                    continue
                run = SingleRun(stage, operation.ask, moment, judge)
                problems = run.problems(kind, step, follow_up)
                # Whoever was answered has nothing to repeat: that is the other case again.
                if follow_up == GIVES_UP or not run.is_answered_at_once:
                    yield Result(case, tuple(problems), name)


def replay(stage: Stage, case: Single) -> Result:
    """Run one case again."""
    operation = operations.BY_NAME[case.operation]
    moment = stage.moment_of(case.beginning)
    steps = [*steps_of(stage, operation.ask, moment), THE_END]
    run = SingleRun(stage, operation.ask, moment, Judge(stage, moment))
    problems = run.problems(faults.BY_NAME[case.fault], case.step, case.follow_up)
    return Result(case, tuple(problems), steps[case.step])


def steps_of(stage: Stage, ask: Ask, moment: Moment) -> list[str]:
    """Return the calls of an operation where nothing goes wrong."""
    stage.begin(moment)
    wire = Wire()
    desk = stage.desk(wire)
    answer_of(lambda: ask.send(desk))
    return wire.names


class SingleRun:
    """One run of one case."""

    def __init__(self, stage: Stage, ask: Ask, moment: Moment, judge: Judge) -> None:
        self._stage, self._ask, self._moment, self._judge = stage, ask, moment, judge
        self.is_answered_at_once = False

    def problems(self, kind: Kind, step: int, follow_up: str) -> list[Problem]:
        """Run from the beginning; return what is wrong in the end."""
        stage, history = self._stage, History(self._moment.unanswered)
        stage.begin(self._moment)
        stage.redis.keeps_past = kind.keeps_past
        wire = Wire()
        desk = stage.desk(wire)
        kind.arm(stage, wire, step)
        answer = noted(history, self._ask, lambda: answer_of(lambda: self._ask.send(desk)))
        stage.redis.keeps_past = False
        self.is_answered_at_once = answer.is_final
        if follow_up == RETRIES and answer.is_final:
            return []
        if follow_up == RETRIES:
            answer = retried(stage, history, self._ask)
            if not answer.is_final:
                return [Problem("stuck", f"the last answer is {answer}")]
        return self._judge.verdict(history)
