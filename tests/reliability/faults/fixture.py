"""Injects a fault at a chosen step of the public function, and checks the stored data afterwards.

A step is a call to DynamoDB, to Redis or to another function.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from tests.reliability.model.effects import may_write
from tests.support import faults
from tests.support.admissions import Admissions
from tests.support.faults import Call, Crash, Fault, Wire
from tests.support.snapshot import Snapshot
from tests.support.stale_index import StaleIndexTable
from tests.support.world import RedisClock, World
from waitlist_api.records.entry import entry_pk
from waitlist_api.records.table import decode
from waitlist_queue import keys
from waitlist_shared import contracts as c
from waitlist_shared.errors import WaitlistError

Item = dict[str, Any]
LINE = ("ann", "bob", "cyd", "dan")
WITH_EVE = ("ann", "bob", "cyd", "eve", "dan")
EVERYBODY = (*WITH_EVE, "fay", "gus", "zoe")
INTENTS = ("joining", "leaving")
# Faults that are injected only at calls that write. For a call that reads, a crash before it and a
# crash after it leave the same data.
OF_WRITES = (faults.crash_after, faults.delivered_twice, faults.in_conflict)


@dataclass(frozen=True)
class Stores:
    dynamodb: StaleIndexTable
    redis: Any

    def snapshot(self) -> Snapshot:
        return Snapshot.of(self.dynamodb, self.redis)

    def restore(self, snapshot: Snapshot) -> None:
        snapshot.restore(self.dynamodb, self.redis)

    def world(self) -> World:
        return World.on(self.dynamodb, self.redis)


@dataclass
class TokenHolders(Admissions):
    """Computes entry tokens from the simulated table, without calling AWS. The tests inject no
    faults here.
    """

    stores: Stores | None = None

    def stay_of(self, name: str) -> int:
        assert self.stores is not None
        pk = entry_pk(self.waitlist_id, self.id_of(name))
        item = self.stores.dynamodb.items.get((pk, "RECORD"), {})
        return int(item["ticket"]["N"]) if "ticket" in item else 0


class FaultFixture:
    """The customers of a waitlist, and a service whose calls to AWS can be made to fail."""

    def __init__(self, stores: Stores, redis_clock: RedisClock | None = None) -> None:
        self.stores = stores
        self.wire = Wire()
        self.world = World.on(
            self.wire.client(stores.dynamodb),
            stores.redis,
            self.wire.client,
            redis_clock=redis_clock,
        )
        self.people = TokenHolders(self.world, stores=stores)
        for name in EVERYBODY:
            self.people.id_of(name)

    def warm_up(self) -> None:
        """Load the waitlist into the function's cache, as the first request does in production."""
        self.world.services.waitlist_cache.look_up(self.people.waitlist_id)
        self.wire.disarm()

    def flush(self) -> None:
        self.stores.redis.flushall()

    def maintain_one(self) -> None:
        """Run maintenance two minutes later. It completes only requests that were interrupted more
        than a minute ago.
        """
        self.world.advance(120)
        self.world.maintenance.run_one(self.people.waitlist_id)

    def maintain_elsewhere(self, minutes: int = 0) -> None:
        world = self.stores.world()
        world.clock.advance(60 * minutes)
        world.maintain()

    def rebuild_elsewhere(self) -> None:
        self.flush()
        self.maintain_elsewhere()

    def is_cold(self) -> bool:
        meta = keys.meta(self.people.waitlist_id)
        return bool(self.stores.redis.hget(meta, "state") != "warm")

    def records(self) -> dict[str, Item]:
        items = self.stores.dynamodb.items.values()
        plain = [decode(item) for item in items]
        names = self.people.names
        return {names[item["entry_id"]]: item for item in plain if item["sk"] == "RECORD"}

    def traces(self, name: str) -> list[str]:
        entry_id = self.people.id_of(name)
        table = [f"{pk} {sk}" for pk, sk in self.stores.dynamodb.items if entry_id in pk]
        queue = self.stores.redis.zscore(keys.queue(self.people.waitlist_id), entry_id)
        return table if queue is None else [*table, "a place in Redis"]

    def order(self) -> list[str]:
        request = c.ListWaiting(waitlist_id=self.people.waitlist_id)
        page: c.ListWaitingResult = self.world.services.queue.send(request)
        return [self.people.names[entry.entry_id] for entry in page.entries]

    def contradictions(self) -> Iterator[str]:
        order = self.order()
        records = self.records()
        if len(set(order)) != len(order):
            yield f"an entry is in the queue twice: {order}"
        ranks = [(one["rank"], name) for name, one in records.items() if _waits(one)]
        if order != [name for _, name in sorted(ranks)]:
            yield f"Redis has {order}, but DynamoDB has {sorted(ranks)}"
        # An erased entry may have the status `joining` or `leaving` until maintenance deletes its
        # record.
        people = [
            (name, one) for name, one in records.items() if not one.get("intent", {}).get("erase")
        ]
        if intents := [name for name, one in people if one["status"] in INTENTS]:
            yield f"unfinished requests are left: {intents}"
        yield from self._wrong_places(records)
        yield from self._wrong_positions(order)

    def _wrong_places(self, records: dict[str, Item]) -> Iterator[str]:
        waitlist_id = self.people.waitlist_id
        ranks = dict(self.stores.redis.zrange(keys.queue(waitlist_id), 0, -1, withscores=True))
        for entry_id, rank in ranks.items():
            record = records.get(self.people.names[entry_id], {})
            if record.get("rank") != rank:
                yield f"Redis has the rank {rank}, but DynamoDB has {record}"
        if strangers := set(self.stores.redis.hkeys(keys.tickets_of_moved(waitlist_id))) - set(
            ranks
        ):
            yield f"Redis still has the tickets of {strangers}"
        last_ticket = int(self.stores.redis.hget(keys.meta(waitlist_id), "last_ticket"))
        waiting = [(name, one) for name, one in records.items() if _waits(one)]
        if early := [name for name, one in waiting if one["stamp"] > last_ticket]:
            yield f"the next signup may get a place ahead of {early}"

    def _wrong_positions(self, order: list[str]) -> Iterator[str]:
        for place, name in enumerate(order, start=1):
            answer = self.world.services.positions.read(
                self.people.waitlist_id, self.people.id_of(name)
            )
            if (answer.status, answer.position, answer.total) != ("waiting", place, len(order)):
                yield f"{name} is number {place} of {len(order)}, but the response is {answer}"


def strikes(fault: Fault, call: Call) -> bool:
    if fault is faults.function_failed:
        return call.is_invoke
    return fault not in OF_WRITES or may_write(call.name, call.arguments)


def at_each_step(
    stores: Stores,
    start: Snapshot,
    run: Callable[[FaultFixture], object],
    inject: Callable[[FaultFixture], Fault],
    outcome: Callable[[FaultFixture], list[str]],
) -> str:
    stores.restore(start)
    whole = FaultFixture(stores)
    run(whole)
    wrong = []
    for step, name in whole.wire.different_steps.items():
        fixture = FaultFixture(stores)
        fault = inject(fixture)
        if not strikes(fault, whole.wire.calls[step]):
            continue
        stores.restore(start)
        fixture.wire.arm(step, fault)
        with suppress(Crash, WaitlistError):
            run(fixture)
        fixture.wire.disarm()
        wrong += [f"step {step} {name}: {problem}" for problem in outcome(fixture)]
    return "\n".join(wrong)


def line(fixture: FaultFixture) -> None:
    fixture.people.all_sign_up(*LINE)


def line_with_eve(fixture: FaultFixture) -> None:
    fixture.people.all_sign_up(*WITH_EVE)


def eve_has_left(fixture: FaultFixture) -> None:
    line_with_eve(fixture)
    assert fixture.people.leave("eve").status == 204


def eve_is_joining(fixture: FaultFixture) -> None:
    """The function crashes after Redis has given Eve's entry a place, and before DynamoDB has
    recorded the place.
    """
    line(fixture)
    fixture.wire.arm(1, faults.crash_after)
    with suppress(Crash):
        fixture.people.sign_up("eve", key="cut-off")
    fixture.wire.disarm()


def _waits(record: Item) -> bool:
    return bool(record["status"] == "waiting")
