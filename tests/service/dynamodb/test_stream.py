"""Tests that the in-memory table's stream contains the same records as DynamoDB Local's stream.

Writes that do not change an item are not compared.
"""

from typing import Any

from tests.service.bus.scene import LEASE_SECONDS, MAX_ATTEMPTS
from tests.service.dynamodb.test_twins import Twins
from tests.support.admissions import Admissions
from tests.support.stores import empty_redis
from tests.support.world import RedisClock, World
from tools.local.dynamodb.streamed_table import StreamedTable

Item = dict[str, Any]


def live(people: Admissions) -> None:
    """Run every operation that writes an event, and some that are refused."""
    people.configure(lease_seconds=LEASE_SECONDS, max_attempts=MAX_ATTEMPTS)
    people.all_sign_up("ada", "bob", "cyd")
    people.sign_up("ada", key="signup-ada")
    people.bump("bob", "bob", to="front")
    people.bump("bob", "bob", to="front")
    people.edit("cyd", profile={"name": "Cyd"})
    people.claimed(3)
    people.park("ada")
    people.redrive("ada")
    people.release("cyd")
    people.world.advance(LEASE_SECONDS)
    people.world.maintain()
    people.claimed(complete=True)
    people.leave("ada")
    people.erase("cyd")
    people.erase("cyd")
    people.world.maintain()
    people.configure(capacity=1)
    people.sign_up("dan")
    people.delete_waitlist()
    people.world.maintain()


def test_the_stream_has_the_same_changes(real_table: Any) -> None:
    table = StreamedTable()
    clock = RedisClock.standing()
    live(Admissions(World.on(Twins(real_table, table), empty_redis(), redis_clock=clock)))
    assert essence(table.records) == essence(real_table.stream_records())
    assert {one["eventName"] for one in table.records} == {"INSERT", "MODIFY", "REMOVE"}


def essence(records: list[Item]) -> list[tuple[str, Item]]:
    """Return the parts of stream records that the service reads, leaving out records of writes that
    changed nothing.
    """
    return [
        (
            record["eventName"],
            {name: record["dynamodb"].get(name) for name in ("Keys", "OldImage", "NewImage")},
        )
        for record in records
        if record["dynamodb"].get("OldImage") != record["dynamodb"].get("NewImage")
    ]
