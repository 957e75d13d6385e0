"""Builds the model checker's report: the number of cases, the failures by cause, and the
differences from the known failures.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.reliability.model.cases import Result
from tests.reliability.model.jobs import KINDS
from tests.reliability.model.known_failures import KNOWN_FAILURES, group_of
from tests.reliability.model.record import Done

NAMES = {
    "single": "single faults",
    "pair": "ends of pairs of operations",
    "sequence": "sequences of two faults",
    "late": "late messages",
}


@dataclass
class Report:
    """What the model checker found. `news` contains the failures that are not in the list of known
    failures.
    """

    jobs: int = 0
    by_kind: Counter[str] = field(default_factory=Counter)
    failing: int = 0
    seconds: float = 0.0
    by_group: Counter[str] = field(default_factory=Counter)
    news: list[Result] = field(default_factory=list)

    def note(self, done: Done) -> None:
        self.jobs += 1
        self.by_kind[done.job.kind] += done.cases
        self.seconds += done.seconds
        for result in done.failing:
            self.failing += 1
            groups = [group_of(result, problem) for problem in result.problems]
            self.by_group.update({group.name for group in groups if group is not None})
            if None in groups:
                self.news.append(result)

    def repaired(self) -> list[str]:
        return [known.name for known in KNOWN_FAILURES if not self.by_group[known.name]]

    def _alike(self) -> list[list[Result]]:
        found: dict[object, list[Result]] = {}
        for result in self.news:
            kinds = frozenset(problem.kind for problem in result.problems)
            found.setdefault((result.case.subject, kinds), []).append(result)
        return list(found.values())

    def lines(self) -> Iterator[str]:
        for known in KNOWN_FAILURES:
            if count := self.by_group[known.name]:
                lines = (f"known, {count:,} cases: {known.name}", known.reason, known.example)
                yield "\n    ".join(lines)
        for alike in self._alike():
            yield f"unknown, {len(alike):,} cases like this:\n{text_of(alike[0])}"
        counts = ", ".join(f"{self.by_kind[kind]:,} {NAMES[kind]}" for kind in KINDS)
        yield f"{sum(self.by_kind.values()):,} cases in {self.jobs:,} jobs: {counts}"
        yield (
            f"{self.failing:,} fail: {self.failing - len(self.news):,} from"
            f" {len(+self.by_group)} known causes, {len(self.news):,} from others"
        )


def text_of(result: Result) -> str:
    where = f"  ({result.where})" if result.where else ""
    return "\n    ".join([f"{result.case}{where}", *map(str, result.problems)])
