"""Divides the model checker's cases into jobs. All cases in a job start from the same prepared
waitlist and run the same operation or pair of operations.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, Literal

from tests.reliability.model import late, pairs, sequences, singles
from tests.reliability.model.cases import EVERYTHING, Case, Result, Sample
from tests.reliability.model.late import LATE, Late
from tests.reliability.model.operations import BY_NAME, OPERATIONS, Operation
from tests.reliability.model.pairs import BOTH, Pair
from tests.reliability.model.sequences import THEN, Sequence
from tests.reliability.model.singles import Single
from tests.reliability.model.testbed import Testbed

Kind = Literal["single", "pair", "sequence", "late"]
KINDS: tuple[Kind, ...] = ("pair", "sequence", "single", "late")


@dataclass(frozen=True)
class Job:
    """The cases for one prepared waitlist and one operation or pair of operations."""

    names: tuple[str, ...]
    scenario: str
    kind: Kind

    def __str__(self) -> str:
        return f"{BOTH.join(self.names)}, {self.scenario}, {self.kind}"

    def results(self, testbed: Testbed, sample: Sample = EVERYTHING) -> Iterator[Result]:
        first, *others = (BY_NAME[name] for name in self.names)
        if self.kind == "single":
            return singles.singles(testbed, first, self.scenario, sample)
        if self.kind == "sequence":
            return sequences.sequences(testbed, first, self.scenario, sample)
        if self.kind == "late":
            return late.late_messages(testbed, first, self.scenario, sample)
        return pairs.interleavings(testbed, first, others[0], self.scenario)


def jobs(only: str | None = None, kinds: tuple[Kind, ...] = KINDS) -> list[Job]:
    found: list[Job] = []
    if "pair" in kinds:
        both = list(combinations_with_replacement(OPERATIONS, 2))
        both.reverse()
        for first, second in sorted(both, key=_is_short):
            for scenario in pairs.scenarios_of(first, second):
                found.append(Job((first.name, second.name), scenario, "pair"))
    for operation in reversed(OPERATIONS):
        for scenario in operation.scenarios:
            if "sequence" in kinds and not operation.is_maintenance:
                found.append(Job((operation.name,), scenario, "sequence"))
            if "single" in kinds:
                found.append(Job((operation.name,), scenario, "single"))
            if "late" in kinds and late.is_searched(operation, scenario):
                found.append(Job((operation.name,), scenario, "late"))
    return [job for job in found if only is None or only in job.names]


@dataclass(frozen=True)
class Shard:
    """One of `count` parts of the model checker's cases, which can run on different machines. Parts
    are numbered from 1.
    """

    number: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> "Shard":
        number, count = map(int, text.split("/"))
        if not 1 <= number <= count:
            raise ValueError(f"{number} is not from 1 to {count}")
        return cls(number, count)

    @property
    def is_all(self) -> bool:
        return self.count == 1

    def of(self, all_jobs: list[Job]) -> list[Job]:
        return all_jobs[self.number - 1 :: self.count]


ALL_JOBS = Shard()


def _is_short(pair: tuple[Operation, Operation]) -> bool:
    return not any(operation.name in pairs.LONG for operation in pair)


def parse(line: str) -> Case:
    kinds: Any = Single
    for word, kind in ((BOTH, Pair), (THEN, Sequence), (LATE, Late)):
        if word in line:
            kinds = kind
    case: Case = kinds.parse(line)
    return case


def replay(testbed: Testbed, line: str) -> Result:
    case = parse(line)
    if isinstance(case, Pair):
        return pairs.replay(testbed, case)
    if isinstance(case, Sequence):
        return sequences.replay(testbed, case)
    if isinstance(case, Late):
        return late.replay(testbed, case)
    assert isinstance(case, Single)
    return singles.replay(testbed, case)
