"""The work, in pieces: one operation or one pair of them, from one beginning."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

from proof import pairs, singles
from proof.cases import EVERYTHING, Result, Sample
from proof.operations import BY_NAME, OPERATIONS
from proof.pairs import BOTH, Pair
from proof.singles import Single
from proof.stage import Stage


@dataclass(frozen=True)
class Job:
    """`names` are one operation's or two's."""

    names: tuple[str, ...]
    beginning: str

    def results(self, stage: Stage, sample: Sample = EVERYTHING) -> Iterator[Result]:
        """Run all of its cases; of single faults those of a sample."""
        operations = [BY_NAME[name] for name in self.names]
        if len(operations) == 1:
            return singles.singles(stage, operations[0], self.beginning, sample)
        return pairs.interleavings(stage, operations[0], operations[1], self.beginning)


def jobs(
    only: str | None = None, *, with_pairs: bool = True, with_singles: bool = True
) -> list[Job]:
    """Return all jobs, or those in which one operation takes part; the longest come first."""
    found: list[Job] = []
    if with_pairs:
        for first, second in reversed(list(combinations_with_replacement(OPERATIONS, 2))):
            for beginning in pairs.beginnings_of(first, second):
                found.append(Job((first.name, second.name), beginning))
    if with_singles:
        for operation in reversed(OPERATIONS):
            found += [Job((operation.name,), beginning) for beginning in operation.beginnings]
    return [job for job in found if only is None or only in job.names]


def replay(stage: Stage, line: str) -> Result:
    """Run the case of a line again."""
    if BOTH in line:
        return pairs.replay(stage, Pair.parse(line))
    return singles.replay(stage, Single.parse(line))
