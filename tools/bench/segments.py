"""Filtered claims beside unfiltered ones, and the cost of segments for signups and reads."""

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from tools.bench.cases import Case
from tools.bench.claims import MANY_CLAIMERS, Attempts, check_admitted
from tools.bench.contest import Contest, Side
from tools.bench.line import Handler, Line, check
from tools.bench.rounds import Round
from tools.bench.segmented_line import SEGMENTS_EACH, SegmentedLine
from tools.bench.sizes import Sizes
from tools.bench.targets import Target

ENOUGH = Target("≥", 0.6)


class SegmentBench:
    """A queue with segments and one without, of the same length."""

    def __init__(self, handler: Handler, pool: ThreadPoolExecutor, sizes: Sizes) -> None:
        self._handler, self._pool, self._sizes = handler, pool, sizes
        self._random = random.Random(2)
        self.attempts_of: dict[str, Attempts] = {}
        self.line = SegmentedLine(handler, "segmented")
        self._waiting = self.line.newcomers(sizes.waiting_for_claims)
        self.line.join(self._waiting)
        plain = Line(handler, "plain")
        plain.join(plain.newcomers(sizes.waiting_for_claims))
        self._plain = Side("claim without segments", plain, lambda: plain.claim(1))

        line, seen = self.line, set[str]()
        self._filtered = Side("filtered claim", line, self._claim_within_any, line.belongs, seen)
        self._unfiltered = Side("unfiltered claim", line, lambda: line.claim(1), seen=seen)

    def cases(self) -> list[Case]:
        """Return all cases, those that need the waiting members before the claims."""
        filtered, unfiltered, plain = self._filtered, self._unfiltered, self._plain
        return [
            self._position(),
            self._depths(),
            self._signup(),
            self._claims(filtered, unfiltered, 1, ENOUGH),
            self._claims(filtered, unfiltered, MANY_CLAIMERS, ENOUGH),
            self._claims(unfiltered, plain, 1, None),
            self._claims(unfiltered, plain, MANY_CLAIMERS, None),
        ]

    def check_admitted(self) -> None:
        """Raise BenchError unless exactly the claimed entries of both queues are admitted."""
        for side in (self._filtered, self._plain):
            check_admitted(self._handler, side.line, side.seen)

    def _claim_within_any(self) -> str:
        return self.line.claim_within(self._random.choice(self.line.segments))

    def _claims(self, ours: Side, beside: Side, claimers: int, target: Target | None) -> Case:
        turns = self._sizes.turns if claimers == 1 else self._sizes.turns // 10
        crowd = "" if claimers == 1 else f", {claimers} claimers"
        contest = Contest(self._handler, self._pool, claimers, turns)
        attempts = self.attempts_of.setdefault(ours.name + crowd, Attempts(ours.seen))
        return Case(
            name=ours.name + crowd,
            beside=beside.name,
            target=target,
            prepare=lambda: contest.prepare(ours, beside, attempts),
            operations=claimers * turns,
            rounds=self._sizes.claim_rounds,
        )

    def _position(self) -> Case:
        line = self.line

        def prepare() -> Round:
            members = self._some()
            within = [line.place_within(one, line.segments_of[one][:1]) for one in members]
            return self._asking(within, "waiting", [line.position(one) for one in members])

        return self._case("position within a segment", "position", prepare, self._sizes.rounds)

    def _depths(self) -> Case:
        line = self.line

        def prepare() -> Round:
            positions = [line.position(one) for one in self._some()]
            return self._asking([line.depths()] * len(positions), "segments", positions)

        name = f"depths of {len(line.segments)} segments"
        return self._case(name, "position", prepare, self._sizes.batch_rounds)

    def _signup(self) -> Case:
        segmented, plain = SegmentedLine(self._handler, "some"), Line(self._handler, "none")
        for line in (segmented, plain):
            line.join(line.newcomers(self._sizes.waiting))

        def prepare() -> Round:
            ours, beside = [
                [line.signup(one) for one in line.newcomers(self._sizes.operations_per_round)]
                for line in (segmented, plain)
            ]
            return self._asking(ours, "joined", beside)

        name = f"signup with {SEGMENTS_EACH} segments"
        return self._case(name, "signup without", prepare, self._sizes.rounds)

    def _some(self) -> list[str]:
        return self._random.choices(self._waiting, k=self._sizes.operations_per_round)

    def _case(self, name: str, beside: str, prepare: Callable[[], Round], rounds: int) -> Case:
        return Case(name, beside, None, prepare, self._sizes.operations_per_round, rounds)

    def _asking(self, payloads: Sequence[str], outcome: str, beside: Sequence[str]) -> Round:
        ask = self._handler.ask
        answers: list[str] = []
        its_answers: list[str] = []

        def verify() -> None:
            check(answers, outcome)
            check(its_answers, "joined", "waiting")

        return Round(
            ours=lambda: answers.extend([ask(payload) for payload in payloads]),
            baseline=lambda: its_answers.extend([ask(payload) for payload in beside]),
            verify=verify,
        )
