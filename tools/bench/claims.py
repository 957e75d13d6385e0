"""Claims and completions, beside as many of BullMQ on the same server."""

import json
from collections.abc import Callable

from redis import Redis

from tools.bench.bullmq_peer import BullMQ
from tools.bench.cases import Case
from tools.bench.queue_client import BenchError, Handler, Line, check
from tools.bench.rounds import Round
from tools.bench.sizes import Sizes
from tools.bench.targets import Target

TWICE = Target("≥", 2.0)


class ClaimBench:
    """A queue of ours and one of BullMQ with the same members; each round adds what it takes."""

    def __init__(self, handler: Handler, bare: Redis, peer: BullMQ, sizes: Sizes) -> None:
        self._handler, self._peer, self._sizes = handler, peer, sizes
        self._line = Line(handler, "claims")
        self._claimed: set[str] = set()
        waiting = self._line.newcomers(sizes.waiting_for_claims)
        self._line.fill(bare, waiting)
        peer.add(waiting)

    def cases(self) -> list[Case]:
        """Return single claims and claims of 100, beside BullMQ's best and its two calls."""
        fastest, by_two_calls = self._peer.take_with_next, self._peer.take_in_two_calls
        single, turns = "claim, complete", self._sizes.turns
        many, few = f"{single} {self._sizes.big_claim}", turns // 10
        return [
            self._case(single, "BullMQ, prefetching", fastest, TWICE, turns, 1),
            self._case(single, "BullMQ, two calls", by_two_calls, TWICE, turns, 1),
            self._case(many, "BullMQ, prefetching", fastest, None, few, self._sizes.big_claim),
        ]

    def check_admitted(self) -> None:
        """Raise BenchError unless exactly the claimed entries are admitted."""
        admitted = json.loads(self._handler.ask(self._line.stats()))["counters"]["admitted"]
        if admitted != len(self._claimed):
            raise BenchError(f"{len(self._claimed)} were claimed, {admitted} admitted")

    def _case(
        self,
        name: str,
        beside: str,
        take: Callable[[int], list[str]],
        target: Target | None,
        turns: int,
        count: int,
    ) -> Case:
        def prepare() -> Round:
            members = self._line.newcomers(turns * count)
            self._line.join(members)
            self._peer.add(members)
            claims: list[str] = []
            completions: list[str] = []
            taken: list[str] = []

            def ours() -> None:
                for _ in range(turns):
                    claimed = self._handler.ask(self._line.claim(count))
                    claims.append(claimed)
                    entries = json.loads(claimed)["entries"]
                    one_or_all = (
                        self._line.complete(entries[0])
                        if count == 1
                        else self._line.complete_all(entries)
                    )
                    completions.append(self._handler.ask(one_or_all))

            def verify() -> None:
                check(claims, "claimed")
                check(completions, "completed")
                found = [
                    entry["entry_id"]
                    for answer in map(json.loads, claims)
                    for entry in answer["entries"]
                ]
                if len(found) != turns * count or len(self._claimed.union(found)) != (
                    len(self._claimed) + len(found)
                ):
                    raise BenchError("a claim took too few entries, or one a second time")
                self._claimed.update(found)
                if len(set(taken)) != turns * count:
                    raise BenchError("BullMQ gave a job twice")

            return Round(ours, lambda: taken.extend(take(turns * count)), verify)

        rounds = self._sizes.claim_rounds if count == 1 else self._sizes.big_claim_rounds
        return Case(name, beside, target, prepare, turns * count, rounds)
