"""Compares two kinds of claims; each claimer must get entries in the queue's order."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain

from tools.bench.claims import Attempts, Claimer
from tools.bench.line import BenchError, Handler, Line
from tools.bench.rounds import Round

Claims = list[list[str]]  # of each claimer


@dataclass(frozen=True)
class Side:
    """One kind of claim of one entry; `claim` makes the message."""

    name: str
    line: Line
    claim: Callable[[], str]
    belongs: Callable[[str, str | None], bool] = lambda _member, _segment: True
    seen: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Contest:
    """So many claimers (threads of one process), each with `turns` claims of one person a round."""

    handler: Handler
    pool: ThreadPoolExecutor
    claimers: int
    turns: int

    def prepare(self, ours: Side, baseline: Side, attempts: Attempts) -> Round:
        """Return a round; as many entries join as it claims, and `attempts` counts our attempts."""
        asked, beside = self._claims(ours), self._claims(baseline)
        answers: Claims = []
        its_answers: Claims = []

        def verify() -> None:
            check_order(ours, asked, answers)
            check_order(baseline, beside, its_answers)
            attempts.add(list(chain.from_iterable(answers)), 1)
            theirs = Attempts(baseline.seen)
            theirs.add(list(chain.from_iterable(its_answers)), 1)
            if theirs.wasted:
                raise BenchError(f"{theirs.wasted} attempts wasted: {baseline.name}")

        return Round(
            ours=lambda: answers.extend(self._take(ours, asked)),
            baseline=lambda: its_answers.extend(self._take(baseline, beside)),
            verify=verify,
        )

    def _claims(self, side: Side) -> Claims:
        side.line.join(side.line.newcomers(self.claimers * self.turns))
        return [[side.claim() for _ in range(self.turns)] for _ in range(self.claimers)]

    def _take(self, side: Side, claims: Claims) -> Claims:
        complete_each = Claimer(self.handler, side.line).complete_each
        if self.claimers == 1:
            return [complete_each(claims[0], 1)]
        return list(self.pool.map(complete_each, claims, [1] * self.claimers))


def check_order(side: Side, asked: Claims, answers: Sequence[Sequence[str]]) -> None:
    """Raise BenchError unless each claimer got the entries of each segment in the queue's order."""
    for claims, told in zip(asked, answers, strict=True):
        last_rank: dict[str | None, int] = {}
        for claim, claimed in zip(claims, told[::2], strict=True):
            segment = json.loads(claim).get("segment")
            for entry in json.loads(claimed).get("entries", []):
                if not side.belongs(entry["entry_id"], segment):
                    raise BenchError(f"{side.name}: got somebody who is not in the segment")
                if entry["rank"] <= last_rank.get(segment, 0):
                    raise BenchError(f"{side.name}: got somebody out of order")
                last_rank[segment] = entry["rank"]
