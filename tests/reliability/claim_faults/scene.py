"""A desk whose function may be struck at any step, and what is true when all has settled."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from boto3.dynamodb.types import TypeDeserializer

from tests.support.admissions import Admissions
from tests.support.faults import Wire
from tests.support.snapshot import Snapshot
from tests.support.world import Clock, RedisClock, World
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_api.errors import EntryNotFound
from waitlist_queue import keys

PEOPLE = ("a", "b", "c", "d")
LEASE_SECONDS = 600  # outlives the two minutes that maintenance takes
LONG_SECONDS = 3600
MAX_ATTEMPTS = 3
# After a loss the first run rebuilds, the second ends holds, the third records, a minute on.
RUNS = 4
UNFINISHED = ("joining", "leaving", "offered")
_deserialize = TypeDeserializer().deserialize


@dataclass(frozen=True)
class Moment:
    """Everything that an operation finds: both stores, both clocks, and the tokens given out."""

    snapshot: Snapshot
    millis: int
    micros: int
    tokens: dict[str, str]


class Scene:
    """The claimers of one waitlist, and the wire between their requests and AWS."""

    def __init__(self, table: MemoryTable, redis: Any) -> None:
        self.table, self.redis = table, redis
        self.wire = Wire()
        self.clock, self.redis_clock = Clock(), RedisClock.standing()
        self.world = self._world(self.wire)
        self.desk = Admissions(self.world)
        for name in PEOPLE:
            self.desk.id_of(name)

    def _world(self, wire: Wire) -> World:
        return World.on(
            wire.client(self.table),
            self.redis,
            wire.client,
            clock=self.clock,
            redis_clock=self.redis_clock,
        )

    def moment(self) -> Moment:
        snapshot = Snapshot.of(self.table, self.redis)
        micros = self.redis_clock.micros or 0
        return Moment(snapshot, self.clock.millis, micros, dict(self.desk.tokens))

    def go_back_to(self, moment: Moment) -> None:
        """Begin at a moment; the function knows the waitlist, as after its first request."""
        moment.snapshot.restore(self.table, self.redis)
        self.clock.millis, self.redis_clock.micros = moment.millis, moment.micros
        self.desk.tokens = dict(moment.tokens)
        self.world.services.directory.look_up(self.desk.waitlist_id)
        self.wire.disarm()

    def desk_elsewhere(self) -> Admissions:
        """Return a desk of the same waitlist in a process of its own, with the same tokens."""
        return Admissions(self._world(Wire()), names=self.desk.names, tokens=self.desk.tokens)

    def settle_down(self) -> None:
        """Let every hold end, and maintenance do all that it has to."""
        self.world.advance(LONG_SECONDS + LEASE_SECONDS)
        for run in range(RUNS):
            self.world.maintain()
            if run == 0:
                # Whoever Redis alone has lost comes back when they look.
                for name in PEOPLE:
                    self.told(name)

    def told(self, name: str) -> tuple[str, int | None, int | None]:
        """Return what a person is told of themselves: status, position and total."""
        try:
            found = self.world.services.positions.of(self.desk.waitlist_id, self.desk.id_of(name))
        except EntryNotFound:
            return "unknown", None, None
        return found.status, found.position, found.total

    def ending(self) -> str:
        """Tell where everybody is: the line with attempts, then those who are elsewhere."""
        records = self.records()
        line = " ".join(
            f"{name}{records[name].get('attempts') or ''}" for name in self.desk.listed("waiting")
        )
        aside = [
            f"{name} {record['status']}"
            for name, record in sorted(records.items())
            if record["status"] != "waiting"
        ]
        return "; ".join([line, *aside])

    def records(self) -> dict[str, dict[str, Any]]:
        """Return the entries' records by name, in plain values."""
        items = [item for item in self._items() if item["sk"] == "RECORD"]
        return {self.desk.names[item["entry_id"]]: item for item in items}

    def _items(self) -> Iterator[dict[str, Any]]:
        for item in list(self.table.items.values()):
            if item["pk"]["S"].startswith("ENTRY"):
                yield {name: _deserialize(value) for name, value in item.items()}

    def contradictions(self) -> Iterator[str]:
        """Yield whatever Redis, the record and the answers do not agree on (P1-P4, P6)."""
        records = self.records()
        line = self._zset(keys.queue)
        waiting = {
            name: int(record["rank"])
            for name, record in records.items()
            if record["status"] == "waiting"
        }
        if line != waiting:
            yield f"Redis has the line {line}, the record {waiting}"
        parked = {
            name: int(record["parked_millis"])
            for name, record in records.items()
            if record["status"] == "parked"
        }
        if self._zset(keys.parked) != parked:
            yield f"Redis has parked {self._zset(keys.parked)}, the record {parked}"
        yield from self._left_over(records)
        for place, name in enumerate(sorted(line, key=lambda name: line[name]), start=1):
            if self.told(name) != ("waiting", place, len(line)):
                yield f"{name} stands at {place} of {len(line)} and is told {self.told(name)}"
        for name, record in records.items():
            if record["status"] != self.told(name)[0]:
                yield f"{name} is {record['status']} and is told {self.told(name)}"
        told = Counter(
            (self.desk.names[item["entry_id"]], item["event"])
            for item in self._items()
            if "event" in item
        )
        for name in PEOPLE:
            if told[name, "admitted"] > told[name, "joined"]:
                yield f"{name} was admitted more often than they signed up"

    def _left_over(self, records: dict[str, dict[str, Any]]) -> Iterator[str]:
        waitlist_id = self.desk.waitlist_id
        if held := self._zset(keys.held):
            yield f"somebody is held still: {held}"
        if unsettled := self._zset(keys.unsettled):
            yield f"maintenance has not settled {unsettled}"
        notes = {self.desk.names[one] for one in self.redis.hkeys(keys.claims(waitlist_id))}
        if notes != set(self._zset(keys.parked)):
            yield f"Redis has notes of {notes}, and parked {self._zset(keys.parked)}"
        tries = {
            self.desk.names[one]: int(count)
            for one, count in self.redis.hgetall(keys.attempts(waitlist_id)).items()
        }
        counted = {
            name: int(record["attempts"])
            for name, record in records.items()
            if record["status"] == "waiting" and record.get("attempts")
        }
        if tries != counted:
            yield f"Redis counts the attempts {tries}, the record {counted}"
        if unfinished := [name for name, one in records.items() if one["status"] in UNFINISHED]:
            yield f"intents are left over: {unfinished}"

    def _zset(self, key: Any) -> dict[str, int]:
        scores = self.redis.zrange(key(self.desk.waitlist_id), 0, -1, withscores=True)
        return {self.desk.names.get(entry_id, entry_id): int(score) for entry_id, score in scores}
