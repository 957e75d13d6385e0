"""The stream of the table in memory is that of AWS's DynamoDB Local, but for writes of the same."""

from typing import Any

from tests.service.bus.scene import LEASE_SECONDS, MAX_ATTEMPTS
from tests.service.dynamodb.test_twins import Twins
from tests.support.admissions import Admissions
from tests.support.stores import fake_redis
from tests.support.streamed_table import StreamedTable
from tests.support.world import RedisClock, World

Item = dict[str, Any]


def live(desk: Admissions) -> None:
    """Do each operation that writes an event, and operations that are refused."""
    desk.configure(lease_seconds=LEASE_SECONDS, max_attempts=MAX_ATTEMPTS)
    desk.all_sign_up("ada", "bob", "cyd")
    desk.sign_up("ada", key="signup-ada")
    desk.bump("bob", "bob", to="front")
    desk.bump("bob", "bob", to="front")
    desk.edit("cyd", profile={"name": "Cyd"})
    desk.claimed(3)
    desk.park("ada")
    desk.redrive("ada")
    desk.release("cyd")
    desk.world.advance(LEASE_SECONDS)
    desk.world.maintain()
    desk.claimed(complete=True)
    desk.leave("ada")
    desk.erase("cyd")
    desk.erase("cyd")
    desk.world.maintain()
    desk.configure(capacity=1)
    desk.sign_up("dan")
    desk.delete_waitlist()
    desk.world.maintain()


def test_the_stream_has_the_same_changes(real_table: Any) -> None:
    table = StreamedTable()
    clock = RedisClock.standing()
    live(Admissions(World.on(Twins(real_table, table), fake_redis(), redis_clock=clock)))
    assert essence(table.records) == essence(real_table.stream_records())
    assert {one["eventName"] for one in table.records} == {"INSERT", "MODIFY", "REMOVE"}


def essence(records: list[Item]) -> list[tuple[str, Item]]:
    """Return what the pipes read, without what leaves an item as it was."""
    return [
        (
            record["eventName"],
            {name: record["dynamodb"].get(name) for name in ("Keys", "OldImage", "NewImage")},
        )
        for record in records
        if record["dynamodb"].get("OldImage") != record["dynamodb"].get("NewImage")
    ]
