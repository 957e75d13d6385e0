"""The stream that these tests read is that of moto's DynamoDB, but for writes of the same."""

from typing import Any

from moto.core.models import DEFAULT_ACCOUNT_ID as ACCOUNT
from moto.dynamodb.models import dynamodb_backends

from tests.reliability.faults.test_memory_table import Twins
from tests.service.bus.scene import LEASE_SECONDS, MAX_ATTEMPTS
from tests.support.admissions import Admissions
from tests.support.dynamodb import TABLE, dynamodb
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


def test_the_stream_is_as_motos() -> None:
    table = StreamedTable()
    with dynamodb(streamed=True) as moto:
        clock = RedisClock.standing()
        live(Admissions(World.on(Twins(moto, table), fake_redis(), redis_clock=clock)))
        expected = moto_records()
    assert essence(table.records) == essence(expected)
    assert {one["eventName"] for one in table.records} == {"INSERT", "MODIFY", "REMOVE"}


def moto_records() -> list[Item]:
    shard = dynamodb_backends[ACCOUNT]["us-east-1"].tables[TABLE].stream_shard
    return [one.to_json() for one in shard.items] if shard else []


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
