"""A deployment whose DynamoDB table has a stream. Tests can read which events the stream puts on
the event bus.
"""

from collections import defaultdict
from typing import Any

from msgspec import to_builtins

from tests.support.admissions import Admissions
from tests.support.dynamodb import TABLE
from tests.support.faults import Wire
from tests.support.stores import empty_redis
from tests.support.world import Clock, RedisClock, World
from tools.local.bus import details_of
from tools.local.dynamodb.streamed_table import StreamedTable
from waitlist_api.records.entry import entry_pk
from waitlist_api.records.table import Table
from waitlist_api.records.webhooks import WebhookRecords

# Claims and offers must not expire while `maintain` runs, which takes four minutes.
LEASE_SECONDS = 600
OFFER_SECONDS = 600
MAX_ATTEMPTS = 2
RETENTION_DAYS = 30
DAY_SECONDS = 24 * 3600
ALL_DAYS = 2_000
Detail = dict[str, Any]


class Scene:
    """A waitlist with Ada and Bob. Redis' clock stands still, so that logical timestamps are as
    close together as possible.
    """

    def __init__(self) -> None:
        self.table, self.wire = StreamedTable(), Wire()
        self.told = 0
        self.redis = empty_redis()
        self.clock, self.redis_clock = Clock(), RedisClock.standing()
        self.world = self._world(self.wire)
        self.people = Admissions(self.world)
        answer = self.configure()
        assert answer.status == 201, answer.text
        self.wire.disarm()

    def _world(self, wire: Wire) -> World:
        return World.on(
            wire.client(self.table),
            self.redis,
            wire.client,
            clock=self.clock,
            redis_clock=self.redis_clock,
        )

    def configure(self, **settings: Any) -> Any:
        terms = {"lease_seconds": LEASE_SECONDS, "max_attempts": MAX_ATTEMPTS}
        return self.people.configure(**{**terms, **settings})

    def people_elsewhere(self) -> Admissions:
        world = self._world(Wire())
        return Admissions(world, names=self.people.names, tokens=self.people.tokens)

    def maintain(self) -> None:
        elsewhere = self._world(Wire())
        for _ in range(2):
            elsewhere.maintain()

    def expire(self) -> None:
        """Advance the clock past the retention period of ended signups."""
        self.world.advance((RETENTION_DAYS + 1) * DAY_SECONDS)
        self.table.expire(self.clock.millis // 1000)

    def details(self, name: str | None = None) -> list[Detail]:
        found = details_of(self.table.records)
        entry_id = name and self.people.id_of(name)
        return [one for one in found if entry_id in (None, one["entry_id"])]

    def news(self) -> list[Detail]:
        records, self.told = self.table.records[self.told :], len(self.table.records)
        return details_of(records)

    def words(self, name: str) -> list[str]:
        return [one["event"] for one in in_order(self.details(name))]

    def history(self, name: str) -> list[tuple[str, int]]:
        """Return the name and the logical timestamp of each event in a person's history.

        Edits are left out, because they are never published.
        """
        pk = entry_pk(self.people.waitlist_id, self.people.id_of(name))
        events = [item for (whose, _), item in sorted(self.table.items.items()) if whose == pk]
        return [
            (one["event"]["S"], int(one["stamp"]["N"]))
            for one in events
            if one.get("event", {"S": "edited"})["S"] != "edited"
        ]

    def webhooks(self, name: str) -> list[Detail]:
        """Return one person's events as webhooks contain them. Webhooks are made from the history,
        not from the event bus.
        """
        records = WebhookRecords(Table(self.table, TABLE), self.clock.now_millis)
        entry_id = self.people.id_of(name)
        found = records.events(self.people.waitlist_id, entry_id, 0, days=ALL_DAYS)
        return [to_builtins(one) for one in found]

    def contradictions(self) -> list[str]:
        """Compare the events on the event bus with the events in the histories, and return the
        differences.
        """
        wrong = []
        by_person: dict[str, list[Detail]] = defaultdict(list)
        for detail in self.details():
            by_person[detail["entry_id"]].append(detail)
        for name in self.people.names.values():
            published = in_order(by_person[self.people.id_of(name)])
            stamps = [int(one["stamp"]) for one in published]
            if len(stamps) != len(set(stamps)):
                wrong.append(f"two events of {name} have the same stamp: {published}")
            ends = [number for number, one in enumerate(published) if one["event"] == "erased"]
            kept = published[ends[-1] + 1 if ends else 0 :]
            since = [(one["event"], int(one["stamp"]) // 10) for one in kept]
            if self.webhooks(name) != kept:
                wrong.append(f"the webhook got {self.webhooks(name)} of {name}, and the bus {kept}")
            if since != self.history(name):
                wrong.append(
                    f"the bus got {since} of {name}, and the history is {self.history(name)}"
                )
        return wrong


def in_order(details: list[Detail]) -> list[Detail]:
    return sorted(details, key=lambda one: int(one["stamp"]))
