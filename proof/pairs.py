"""Two operations on one person at once, with every interleaving of their steps."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from proof import operations
from proof.answers import answer_of
from proof.asks import Ask
from proof.beginnings import is_cold, made_cold
from proof.cases import SEPARATOR, Result
from proof.following import noted, retried, verdict
from proof.history import History
from proof.operations import Operation
from proof.oracle import Problem
from proof.stage import Moment, Stage
from proof.turns import Trace, take_turns
from tests.support.faults import Wire

BOTH = " + "


@dataclass(frozen=True)
class Pair:
    """One case; as text it is the line that replays it."""

    first: str
    second: str
    beginning: str
    schedule: str

    @property
    def subject(self) -> str:
        return f"{self.first}{BOTH}{self.second}"

    def __str__(self) -> str:
        return SEPARATOR.join((self.subject, self.beginning, self.schedule))

    @classmethod
    def parse(cls, line: str) -> "Pair":
        names, beginning, schedule = line.split(SEPARATOR)
        first, second = names.split(BOTH)
        return cls(first, second, beginning, schedule)


def beginnings_of(first: Operation, second: Operation) -> list[str]:
    """Return what either begins with; a rebuild meets the other where Redis is lost."""
    warm = [name for name in (*first.beginnings, *second.beginnings) if not is_cold(name)]
    if all(map(is_cold, first.beginnings)) or all(map(is_cold, second.beginnings)):
        # An unanswered signup has no claim to a place that is lost.
        cold = [made_cold(name) for name in warm if name != "joining"]
        warm = cold or [*first.beginnings]
    return list(dict.fromkeys(warm))


def interleavings(
    stage: Stage, first: Operation, second: Operation, beginning: str
) -> Iterator[Result]:
    """Run a pair from one beginning in every order of steps that can make a difference."""
    moment = stage.moment_of(beginning)
    open_ = [""]
    while open_:
        run = PairRun(stage, (first, second), moment)
        trace = run.take_turns(open_.pop())
        open_ += trace.branches
        if not trace.is_repeat:
            case = Pair(first.name, second.name, beginning, trace.schedule)
            yield Result(case, tuple(run.problems()))


def replay(stage: Stage, case: Pair) -> Result:
    """Run one case again."""
    pair = operations.BY_NAME[case.first], operations.BY_NAME[case.second]
    run = PairRun(stage, pair, stage.moment_of(case.beginning))
    run.take_turns(case.schedule)
    return Result(case, tuple(run.problems()))


class PairRun:
    """One run of one case."""

    def __init__(self, stage: Stage, pair: tuple[Operation, Operation], moment: Moment) -> None:
        self._stage, self._pair, self._moment = stage, pair, moment
        self._history = History(moment.unanswered)

    def take_turns(self, schedule: str) -> Trace:
        self._stage.begin(self._moment)
        first, second = (operation.ask for operation in self._pair)
        return take_turns((self._work(first), self._work(second.again())), schedule)

    def _work(self, ask: Ask) -> Callable[[Wire], None]:
        def work(wire: Wire) -> None:
            desk = self._stage.desk(wire)
            noted(self._history, ask, lambda: answer_of(lambda: ask.send(desk)))

        return work

    def problems(self) -> list[Problem]:
        """Have what was not answered repeated; return what is wrong in the end."""
        for attempt in list(self._history.attempts)[len(self._moment.unanswered) :]:
            if not attempt.answer.is_final:
                answer = retried(self._stage, self._history, attempt.ask)
                if not answer.is_final:
                    return [Problem("stuck", f"the last answer is {answer}")]
        return verdict(self._stage, self._history, self._moment.line)
