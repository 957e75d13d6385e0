"""Two operations on one person at once, with every interleaving of their steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.reliability.model import operations
from tests.reliability.model.answers import Answer, answer_of
from tests.reliability.model.asks import Ask
from tests.reliability.model.beginnings import is_cold, made_cold
from tests.reliability.model.cases import SEPARATOR, Result
from tests.reliability.model.following import noted, retried, verdict
from tests.reliability.model.history import History
from tests.reliability.model.operations import Operation
from tests.reliability.model.oracle import Problem
from tests.reliability.model.sameness import Text, digest_of
from tests.reliability.model.stage import Moment, Snapshot, Stage
from tests.reliability.model.turns import HaltingWire, Turns, Work

BOTH = " + "
# What has some forty steps, most of which look at what the other may have changed.
LONG = ("rebuild",)
MOST_CHANGES = 3


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
    run = PairRun(stage, (first, second), stage.moment_of(beginning))
    for schedule in run.turns.ends():
        case = Pair(first.name, second.name, beginning, schedule)
        yield Result(case, tuple(run.problems()))


def replay(stage: Stage, case: Pair) -> Result:
    """Run one case again."""
    pair = operations.BY_NAME[case.first], operations.BY_NAME[case.second]
    run = PairRun(stage, pair, stage.moment_of(case.beginning))
    run.turns.follow(case.schedule)
    return Result(case, tuple(run.problems()))


class PairRun:
    """Two operations in turns from one beginning, and the history of the latest run."""

    def __init__(self, stage: Stage, pair: tuple[Operation, Operation], moment: Moment) -> None:
        self._stage, self._moment = stage, moment
        self._history = History()
        first, second = (operation.ask for operation in pair)
        works = self._work(first), self._work(second.again())
        is_long = any(operation.name in LONG for operation in pair)
        self.turns = Turns(self, works, MOST_CHANGES if is_long else None)

    @property
    def time(self) -> Any:
        return self._stage.time

    def set_time(self, time: Any) -> None:
        self._stage.set_time(time)

    def begin(self) -> None:
        self._stage.begin(self._moment)
        self._history = History(self._moment.unanswered)

    def snapshot(self) -> Snapshot:
        return self._stage.snapshot()

    def put(self, snapshot: Snapshot) -> None:
        self._stage.put(snapshot)

    def text(self, value: Any) -> Text:
        return Text.of(value, self._moment.millis)

    def digest(self, more: list[Text]) -> bytes:
        return digest_of([*self._stage.texts(), *more], self._moment.millis)

    def _work(self, ask: Ask) -> Work:
        def work(wire: HaltingWire) -> Answer:
            desk = self._stage.desk(wire, wire.watched(self._stage.clock.now_millis))
            return noted(self._history, ask, lambda: answer_of(lambda: ask.send(desk)))

        return work

    def problems(self) -> list[Problem]:
        """Have what was not answered repeated; return what is wrong in the end."""
        for attempt in list(self._history.attempts)[len(self._moment.unanswered) :]:
            if not attempt.answer.is_final:
                answer = retried(self._stage, self._history, attempt.ask)
                if not answer.is_final:
                    return [Problem("stuck", f"the last answer is {answer}")]
        return verdict(self._stage, self._history, self._moment.line)
