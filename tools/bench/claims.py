"""Claims and completions, beside as many of BullMQ on the same server."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain

from redis import Redis

from tools.bench.bullmq_peer import BullMQ
from tools.bench.cases import Case
from tools.bench.line import BenchError, Handler, Line, batch
from tools.bench.rounds import Round
from tools.bench.sizes import Sizes
from tools.bench.targets import Row, Target

MANY_CLAIMERS = 16
TWICE = Target("≥", 2.0)
NONE = Target("≤", 0)


class Attempts:
    """Counts claims that returned no entry, too few entries, or an entry a second time."""

    def __init__(self, seen: set[str]) -> None:
        self.attempts = 0
        self.wasted = 0
        self._seen = seen

    def add(self, answers: Sequence[str], count: int) -> None:
        """Count claims of `count`, made while at least as many entries wait, and completions."""
        for answer in map(json.loads, answers):
            for result in answer.get("results", [answer]):
                self.attempts += 1
                if result.get("outcome") == "claimed":
                    members = {entry["entry_id"] for entry in result["entries"]}
                    self.wasted += count - len(members - self._seen)
                    self._seen |= members
                elif result.get("outcome") != "completed":
                    self.wasted += 1

    def row(self, name: str) -> Row:
        return Row(
            name=f"wasted: {name}",
            beside="of all attempts",
            ratio=self.wasted,
            spread=None,
            ours=f"{self.wasted:,}",
            baseline=f"{self.attempts:,}",
            target=NONE,
        )


class Claimer:
    """Calls the private function as the public function does, and reads the answers."""

    def __init__(self, handler: Handler, line: Line) -> None:
        self._ask = handler.ask
        self._line = line

    def claim_then_complete(self, turns: int, count: int) -> list[str]:
        """Makes two calls per turn: a claim, and one completion or a batch of them."""
        return self.complete_each([self._line.claim(count)] * turns, count)

    def complete_each(self, claims: Sequence[str], count: int) -> list[str]:
        """Send claims of `count`, each followed by the completion of the claimed entries."""
        answers = []
        for claim in claims:
            claimed = self._ask(claim)
            entries = json.loads(claimed).get("entries", [])
            completions = [self._line.complete(entry) for entry in entries]
            completed = self._ask(completions[0] if count == 1 and entries else batch(completions))
            answers += [claimed, completed]
        return answers


@dataclass(frozen=True)
class Contest:
    """So many claimers (threads of one process), each with `turns` claims of `count` a round."""

    name: str
    claimers: int
    count: int
    turns: int
    rounds: int

    @property
    def pairs(self) -> int:
        return self.claimers * self.turns * self.count


class ClaimBench:
    """A queue of ours and one of BullMQ with the same members; each round adds what it takes."""

    def __init__(
        self, handler: Handler, bare: Redis, peer: BullMQ, pool: ThreadPoolExecutor, sizes: Sizes
    ) -> None:
        self._handler, self._peer, self._pool, self._sizes = handler, peer, pool, sizes
        self._line = Line(handler, "claims")
        self._claimer = Claimer(handler, self._line)
        self._seen: set[str] = set()
        self.attempts_of: dict[str, Attempts] = {}
        waiting = self._line.newcomers(sizes.waiting_for_claims)
        self._line.fill(bare, waiting)
        peer.add(waiting)

    def cases(self) -> list[Case]:
        """Return all cases; `attempts_of` counts the wasted attempts by case."""
        fastest, by_two_calls = self._peer.take_with_next, self._peer.take_in_two_calls
        single, *larger = self._contests()
        return [
            self._case(single, "BullMQ, prefetching", fastest, TWICE),
            self._case(single, "BullMQ, two calls", by_two_calls, TWICE),
            *(self._case(one, "BullMQ, prefetching", fastest, None) for one in larger),
        ]

    def check_admitted(self) -> None:
        """Raise BenchError unless exactly the claimed entries are admitted."""
        check_admitted(self._handler, self._line, self._seen)

    def _contests(self) -> list[Contest]:
        sizes = self._sizes
        turns, rounds, big_rounds = sizes.turns, sizes.claim_rounds, sizes.big_claim_rounds
        few, many = turns // 10, MANY_CLAIMERS
        size = sizes.big_claim
        of_size = f"claim, complete {size}"
        return [
            Contest("claim, complete", 1, 1, turns, rounds),
            Contest(f"claim, complete, {many} claimers", many, 1, few, rounds),
            Contest(of_size, 1, size, few, big_rounds),
            Contest(f"{of_size}, {many} claimers", many, size, 1, big_rounds),
        ]

    def _case(
        self,
        contest: Contest,
        beside: str,
        take: Callable[[int], list[str]],
        target: Target | None,
    ) -> Case:
        attempts = self.attempts_of.setdefault(contest.name, Attempts(self._seen))

        def prepare() -> Round:
            members = self._line.newcomers(contest.pairs)
            self._line.join(members)
            self._peer.add(members)
            answers: list[str] = []
            taken: list[str] = []

            def verify() -> None:
                attempts.add(answers, contest.count)
                if len(set(taken)) != contest.pairs:
                    raise BenchError("BullMQ gave a job twice")

            return Round(
                ours=lambda: answers.extend(self._all_turns(contest)),
                baseline=lambda: taken.extend(take(contest.pairs)),
                verify=verify,
            )

        return Case(contest.name, beside, target, prepare, contest.pairs, contest.rounds)

    def _all_turns(self, contest: Contest) -> list[str]:
        turn = self._claimer.claim_then_complete
        if contest.claimers == 1:
            return turn(contest.turns, contest.count)
        turns, counts = [contest.turns] * contest.claimers, [contest.count] * contest.claimers
        return list(chain.from_iterable(self._pool.map(turn, turns, counts)))


def check_admitted(handler: Handler, line: Line, seen: set[str]) -> None:
    """Raise BenchError unless as many entries are admitted as were claimed."""
    admitted = json.loads(handler.ask(line.stats()))["counters"]["admitted"]
    if admitted != len(seen):
        raise BenchError(f"{len(seen)} were claimed, {admitted} admitted")
