"""The operations to measure, each compared with the cheapest Redis command that could do the
same.
"""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from redis import Redis

from tools.bench.queue_client import Handler, Line, batch, check, sent
from tools.bench.rounds import Round, measure
from tools.bench.sizes import Sizes
from tools.bench.targets import Row, Target
from waitlist_shared.limits import MAX_BATCH


@dataclass(frozen=True)
class Case:
    """A measurement.

    `prepare` sets up a round and returns the functions to measure. If `as_cost` is true, costs are
    compared instead of speeds.
    """

    name: str
    beside: str
    target: Target | None
    prepare: Callable[[], Round]
    operations: int
    rounds: int
    as_cost: bool = False

    def row(self, tick: Callable[[], None]) -> Row:
        """Measure the case. `tick` is called after each round, for example to advance a progress
        bar.
        """
        speed = measure(self.prepare, self.operations, self.rounds, tick)
        ratio, spread = speed.ratio, (speed.low, speed.high)
        if self.as_cost:
            ratio, spread = 1 / ratio, (1 / speed.high, 1 / speed.low)
        return Row(
            name=self.name,
            beside=self.beside,
            ratio=ratio,
            spread=spread,
            ours=f"{speed.ours_per_second:,.0f}/s",
            baseline=f"{speed.baseline_per_second:,.0f}/s",
            target=self.target,
        )


class Bench:
    """Compares a queue behind the private function with a plain sorted set of the same members."""

    def __init__(self, handler: Handler, bare: Redis, sizes: Sizes) -> None:
        self._handler = handler
        self._bare = bare
        self._sizes = sizes
        self._random = random.Random(1)

    def cases(self) -> list[Callable[[], Case]]:
        """Return a function for each case.

        The function fills the queues, so call it right before its measurement.
        """
        return [
            self.signup,
            self.signup_beside_published,
            self.position,
            self.position_of_many,
            self.leave,
            self.bump,
            self.batch,
        ]

    def signup(self) -> Case:
        bare, (line, zset, _) = self._bare, self._pair("signup")

        def prepare() -> Round:
            members = line.newcomers(self._sizes.operations_per_round)
            return self._round(
                [line.signup(member) for member in members],
                "joined",
                lambda member: bare.zadd(zset, {member: time.time()}),
                members,
            )

        return self._case("signup", "ZADD", prepare, None)

    def signup_beside_published(self) -> Case:
        bare, (line, zset, _) = self._bare, self._pair("published")

        def zadd_then_zrevrank(member: str) -> None:
            bare.zadd(zset, {member: time.time()})
            bare.zrevrank(zset, member)

        def prepare() -> Round:
            members = line.newcomers(self._sizes.operations_per_round)
            payloads = [line.signup(member) for member in members]
            return self._round(payloads, "joined", zadd_then_zrevrank, members)

        return self._case("signup", "ZADD, then ZREVRANK", prepare, None)

    def position(self) -> Case:
        bare, (line, zset, waiting) = self._bare, self._pair("position")

        def prepare() -> Round:
            members = self._some(waiting)
            return self._round(
                [line.position(member) for member in members],
                "waiting",
                lambda member: bare.zrank(zset, member),
                members,
            )

        return self._case("position", "ZRANK", prepare, None)

    def position_of_many(self) -> Case:
        sizes, ask = self._sizes, self._handler.ask
        few, _, few_waiting = self._pair("few")
        many = Line(self._handler, "many")
        many_waiting = many.newcomers(sizes.many_waiting)
        many.fill(self._bare, many_waiting)

        def prepare() -> Round:
            payloads = [many.position(member) for member in self._some(many_waiting)]
            few_payloads = [sent(few.position(member)) for member in self._some(few_waiting)]
            return self._round(payloads, "waiting", ask, few_payloads)

        name = f"position, {sizes.many_waiting:,} waiting"
        beside = f"position, {sizes.waiting:,} waiting"
        return self._case(name, beside, prepare, Target("≤", 1.5), as_cost=True)

    def position_with_policy(self) -> Case:
        ask = self._handler.ask
        policy = {"admission": True, "rate_count": 500, "rate_millis": 60_000, "max_inside": 2000}
        admitting, _, admitting_waiting = self._pair("admitting", policy)
        plain, _, plain_waiting = self._pair("by-hand")

        def prepare() -> Round:
            payloads = [admitting.position(member) for member in self._some(admitting_waiting)]
            plain_payloads = [sent(plain.position(member)) for member in self._some(plain_waiting)]
            return self._round(payloads, "waiting", ask, plain_payloads)

        name, beside = "position with a policy", "position without a policy"
        return self._case(name, beside, prepare, Target("≤", 1.1), as_cost=True)

    def leave(self) -> Case:
        bare, (line, zset, waiting) = self._bare, self._pair("leave")

        def prepare() -> Round:
            members = line.newcomers(self._sizes.operations_per_round)
            line.join(members)
            bare.zadd(zset, dict.fromkeys(members, time.time()))
            waiting.extend(members)
            self._random.shuffle(waiting)
            leaving = [waiting.pop() for _ in members]
            return self._round(
                [line.leave(member) for member in leaving],
                "left",
                lambda member: bare.zrem(zset, member),
                leaving,
            )

        return self._case("leave", "ZREM", prepare, None)

    def bump(self) -> Case:
        bare, (line, zset, waiting) = self._bare, self._pair("bump")

        def prepare() -> Round:
            members = self._some(waiting)
            return self._round(
                [line.bump(member, "places", self._random.randint(1, 1000)) for member in members],
                "moved",
                lambda member: bare.zadd(zset, {member: time.time()}),
                members,
            )

        return self._case("bump by places", "ZADD of a member", prepare, None)

    def batch(self) -> Case:
        bare, (line, zset, _) = self._bare, self._pair("batch")

        def pipelined(members: Sequence[str]) -> None:
            pipeline = bare.pipeline(transaction=False)
            for member in members:
                pipeline.zadd(zset, {member: time.time()})
            pipeline.execute()

        def prepare() -> Round:
            members = line.newcomers(MAX_BATCH)
            return self._round(
                [batch([line.signup(member) for member in members])], "joined", pipelined, [members]
            )

        return Case(
            name=f"batch of {MAX_BATCH} signups",
            beside=f"pipeline of {MAX_BATCH} ZADD",
            target=Target("≥", 0.35),
            prepare=prepare,
            operations=MAX_BATCH,
            rounds=self._sizes.batch_rounds,
        )

    def _pair(
        self, name: str, settings: Mapping[str, object] | None = None
    ) -> tuple[Line, str, list[str]]:
        line, zset = Line(self._handler, name, settings=settings), f"bare:{name}"
        waiting = line.newcomers(self._sizes.waiting)
        line.join(waiting)
        self._bare.copy(line.queue_key, zset)
        return line, zset, waiting

    def _some(self, waiting: Sequence[str]) -> list[str]:
        return self._random.choices(waiting, k=self._sizes.operations_per_round)

    def _round(
        self,
        payloads: Sequence[str],
        outcome: str,
        baseline: Callable[[Any], object],
        items: Sequence[object],
    ) -> Round:
        ask = self._handler.ask
        messages = [sent(payload) for payload in payloads]
        answers: list[str] = []
        return Round(
            ours=lambda: answers.extend([ask(message) for message in messages]),
            baseline=lambda: [baseline(item) for item in items].clear(),
            verify=lambda: check(answers, outcome),
        )

    def _case(
        self,
        name: str,
        beside: str,
        prepare: Callable[[], Round],
        target: Target | None,
        as_cost: bool = False,
    ) -> Case:
        operations, rounds = self._sizes.operations_per_round, self._sizes.rounds
        return Case(name, beside, target, prepare, operations, rounds, as_cost)
