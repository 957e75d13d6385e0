"""Compare our claims and completions with BullMQ's, on the same Redis server."""

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
    """Compares a waitlist with a BullMQ queue of the same members.

    Before each round, both receive as many members as the round will take.
    """

    def __init__(self, handler: Handler, bare: Redis, peer: BullMQ, sizes: Sizes) -> None:
        self._handler, self._peer, self._sizes = handler, peer, sizes
        self._line = Line(handler, "claims")
        self._claimed: set[str] = set()
        waiting = self._line.newcomers(sizes.waiting_for_claims)
        self._line.fill(bare, waiting)
        peer.add(waiting)

    def cases(self) -> list[Case]:
        fastest, by_two_calls = self._peer.take_with_next, self._peer.take_in_two_calls
        single, turns = "claim, complete", self._sizes.turns
        many, few = f"{single} {self._sizes.big_claim}", turns // 10
        return [
            self._case(single, "BullMQ, prefetching", fastest, TWICE, turns, 1),
            self._case(single, "BullMQ, two calls", by_two_calls, TWICE, turns, 1),
            self._case(many, "BullMQ, prefetching", fastest, None, few, self._sizes.big_claim),
        ]

    def check_admitted(self) -> None:
        admitted = json.loads(self._handler.ask(self._line.stats()))["counters"]["admitted"]
        if admitted != len(self._claimed):
            raise BenchError(
                f"{len(self._claimed)} entries were claimed, but {admitted} were admitted"
            )

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
                    completion = (
                        self._line.complete(entries[0])
                        if count == 1
                        else self._line.complete_all(entries)
                    )
                    completions.append(self._handler.ask(completion))

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
                    raise BenchError("a claim returned too few entries, or returned an entry twice")
                self._claimed.update(found)
                if len(set(taken)) != turns * count:
                    raise BenchError("BullMQ returned a job twice")

            return Round(ours, lambda: taken.extend(take(turns * count)), verify)

        rounds = self._sizes.claim_rounds if count == 1 else self._sizes.big_claim_rounds
        return Case(name, beside, target, prepare, turns * count, rounds)
