"""One operation, struck by one fault at one step; then the client retries or gives up."""

from collections.abc import Iterator
from dataclasses import dataclass

from proof import beginnings, faults, model, operations
from proof.answers import Answer, answer_of
from proof.asks import Ask
from proof.desk import LONG_SECONDS
from proof.faults import Kind
from proof.history import History
from proof.model import Line
from proof.observed import observe
from proof.operations import Operation
from proof.oracle import Problem, judge
from proof.stage import MINUTE, Moment, Stage
from tests.support.faults import Wire

RETRIES, GIVES_UP = "retries", "gives up"
FOLLOW_UPS = (RETRIES, GIVES_UP)
TRIES = 6
SEPARATOR = " / "


@dataclass(frozen=True)
class Single:
    """One case; as text it is the line that replays it."""

    operation: str
    beginning: str
    fault: str
    step: int
    follow_up: str

    def __str__(self) -> str:
        parts = (self.operation, self.beginning, self.fault, f"step {self.step}", self.follow_up)
        return SEPARATOR.join(parts)

    @classmethod
    def parse(cls, line: str) -> "Single":
        operation, beginning, fault, step, follow_up = line.split(SEPARATOR)
        return cls(operation, beginning, fault, int(step.removeprefix("step ")), follow_up)


@dataclass(frozen=True)
class Result:
    """What a case came to; `where` names the call that was struck."""

    case: object
    where: str
    problems: tuple[Problem, ...]


def moment_of(stage: Stage, operation: Operation, beginning: str) -> Moment:
    moment = stage.prepare(beginnings.NAMES[beginning])
    if operation.is_cold:
        stage.lose_redis()
        moment = stage.moment(moment.line)
    return moment


def singles(stage: Stage, operation: Operation, kinds: tuple[Kind, ...]) -> Iterator[Result]:
    """Run an operation from each of its beginnings, with each fault at each step."""
    for beginning in operation.beginnings:
        moment = moment_of(stage, operation, beginning)
        steps = steps_of(stage, operation, moment)
        for kind in kinds:
            for step in range(len(steps) + kind.is_between):
                yield from _struck(stage, operation, beginning, moment, kind, step, steps)


def _struck(
    stage: Stage,
    operation: Operation,
    beginning: str,
    moment: Moment,
    kind: Kind,
    step: int,
    steps: list[str],
) -> Iterator[Result]:
    where = steps[step] if step < len(steps) else "the end"
    for follow_up in FOLLOW_UPS:
        case = Single(operation.name, beginning, kind.name, step, follow_up)
        run = Run(stage, operation.ask, moment)
        problems = run.problems(kind, step, follow_up)
        yield Result(case, where, tuple(problems))
        if run.was_final_at_once:
            return


def replay(stage: Stage, case: Single) -> Result:
    """Run one case again."""
    operation = operations.BY_NAME[case.operation]
    moment = moment_of(stage, operation, case.beginning)
    run = Run(stage, operation.ask, moment)
    problems = run.problems(faults.BY_NAME[case.fault], case.step, case.follow_up)
    return Result(case, "", tuple(problems))


def steps_of(stage: Stage, operation: Operation, moment: Moment) -> list[str]:
    """Return the calls of an operation where nothing goes wrong."""
    stage.begin(moment)
    wire = Wire()
    desk = stage.desk(wire)
    desk.services.directory.look_up("bakery")
    wire.disarm()
    answer_of(lambda: operation.ask.send(desk))
    return wire.names


class Run:
    """One run of one case."""

    def __init__(self, stage: Stage, ask: Ask, moment: Moment) -> None:
        self.stage, self.ask, self.moment = stage, ask, moment
        self.history = History()
        self.was_final_at_once = False

    def problems(self, kind: Kind, step: int, follow_up: str) -> list[Problem]:
        self.stage.begin(self.moment)
        self.stage.redis.keeps_past = kind.keeps_past
        wire = Wire()
        desk = self.stage.desk(wire)
        desk.services.directory.look_up("bakery")
        wire.disarm()
        kind.arm(self.stage, wire, step)
        answer = self._attempt(lambda: answer_of(lambda: self.ask.send(desk)))
        self.was_final_at_once = answer.is_final
        if follow_up == RETRIES and not answer.is_final:
            answer = self._retry()
            if not answer.is_final:
                return [Problem("stuck", f"the last answer is {answer}")]
        return verdict(self.stage, self.history, self.moment.line)

    def _attempt(self, ask) -> Answer:
        began = self.history.now()
        answer = ask()
        self.history.note(self.ask, answer, began)
        return answer

    def _retry(self) -> Answer:
        """Repeat the same request until an answer is final."""
        for _ in range(TRIES):
            if self.stage.is_cold():
                self.stage.maintain()
            answer = self._attempt(lambda: self.stage.ask_elsewhere(self.ask.send))
            if answer.is_final:
                break
        return answer


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
    soon = judge(ends, observe(stage), stage.tokens, history)
    if soon:
        return soon
    stage.wait(LONG_SECONDS + MINUTE)
    stage.maintain_until_quiet()
    late = judge({model.all_expired(end) for end in ends}, observe(stage), stage.tokens, history)
    return late
