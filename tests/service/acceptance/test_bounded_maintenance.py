"""Maintenance interrupts a long step and continues it in the next run, so that the other steps get
their turn.
"""

from functools import partial
from typing import Any

import pytest

from tests.support.admissions import Admissions
from tests.support.dynamodb import TABLE
from tests.support.stores import empty_redis
from tests.support.tables import items_of
from tests.support.world import Clock, RedisClock, World
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_api.maintenance.runner import INTENTS_MILLIS, RUN_MILLIS
from waitlist_api.queue.client import QueueClient
from waitlist_api.records.entry import SHARDS, HistoryEvent, entry_pk
from waitlist_api.records.table import Table
from waitlist_shared.errors import QueueUnavailable

MANY = 4_000
# A page of 500 events is deleted in 20 batches, which takes this long.
SECONDS_A_PAGE = 6
TIMEOUT_MILLIS = 300_000


class SlowTable(MemoryTable):
    """A slow DynamoDB table, on which each batch of writes advances the clock."""

    people: Admissions | None = None
    seconds_a_page = SECONDS_A_PAGE

    def batch_write_item(self, RequestItems: dict[str, Any]) -> dict[str, Any]:  # noqa: N803
        if self.people is not None:
            self.people.world.clock.millis += self.seconds_a_page * 1000 // 20
        return super().batch_write_item(RequestItems)


@pytest.fixture
def table() -> SlowTable:
    return SlowTable()


@pytest.fixture
def people(table: SlowTable) -> Admissions:
    people = Admissions(World.on(table, empty_redis(), redis_clock=RedisClock.standing()))
    people.configure()
    people.all_sign_up("ann", "zoe")
    for name in ("ann", "zoe"):
        write_history(table, people, name)
    return people


def write_history(table: SlowTable, people: Admissions, name: str) -> None:
    key = (people.waitlist_id, people.id_of(name))
    events = (HistoryEvent(stamp=1 + one, event="edited", by="customer") for one in range(MANY))
    items = [event.to_item(*key) for event in events]
    Table(table, TABLE).put_many(items)


def history(table: SlowTable, people: Admissions, name: str) -> int:
    pk = entry_pk(people.waitlist_id, people.id_of(name))
    return sum(one["pk"]["S"] == pk for one in items_of(table))


def cut_off_erasure(people: Admissions, name: str) -> None:
    services = people.world.services
    services.leaves.begin_erase(people.waitlist_id, people.id_of(name))


def milliseconds_of_a_run(people: Admissions) -> int:
    clock = people.world.clock
    began = clock.millis
    people.world.maintenance.run_all(lambda: TIMEOUT_MILLIS - (clock.millis - began))
    return clock.millis - began


def test_long_histories_are_erased_over_several_runs_and_others_do_not_wait(
    table: SlowTable, people: Admissions
) -> None:
    other = Admissions(people.world, "butcher")
    other.configure(admission={"offer_seconds": 60})
    other.all_sign_up("bob")
    other.admit(1)
    for name in ("ann", "zoe"):
        cut_off_erasure(people, name)
    people.world.advance(120)
    table.people = people
    # Without a time limit, erasing one history would take 48 seconds.
    left = [history(table, people, one) for one in ("ann", "zoe")]
    assert min(left) > MANY
    took = milliseconds_of_a_run(people)
    assert took <= RUN_MILLIS + INTENTS_MILLIS
    assert other.status("bob") == "waiting", "the offer has ended, in the first run"
    now = [history(table, people, one) for one in ("ann", "zoe")]
    assert all(0 < one < before for one, before in zip(now, left, strict=True))
    for _ in range(20):
        people.world.advance(60)
        assert milliseconds_of_a_run(people) <= RUN_MILLIS + INTENTS_MILLIS
    assert [history(table, people, one) for one in ("ann", "zoe")] == [0, 0]
    people.sign_up("ann")
    assert people.status("ann") == "waiting"


def test_no_shard_of_intents_waits_for_another_in_every_run(
    table: SlowTable, people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long erasure uses up each run's time for unfinished requests. The other unfinished requests
    must still be completed within 15 minutes.
    """
    cut_off_erasure(people, "ann")
    names = [f"late{number}" for number in range(8)]
    with monkeypatch.context() as patch:
        patch.setattr(QueueClient, "send", unavailable)
        assert [people.sign_up(name).status for name in names] == [503] * len(names)
    table.people = people
    clock, finisher = people.world.clock, people.world.maintenance.intent_finisher
    for minute in range(1, SHARDS + 1):
        clock.advance(60 - clock.millis / 1000 % 60)
        finisher.finish_intents(partial(is_after, clock, clock.millis + 1000))
        assert history(table, people, "ann") > MANY - 500 * minute - 100
    assert people.stats().json["waiting"] == len(names) + 1


def is_after(clock: Clock, millis: int) -> bool:
    return clock.millis > millis


def unavailable(*_: object, **__: object) -> Any:
    raise QueueUnavailable


def test_a_list_is_deleted_over_several_runs(table: SlowTable, people: Admissions) -> None:
    assert people.delete_waitlist().status == 204
    other = Admissions(people.world, "butcher")
    other.configure(admission={"offer_seconds": 60})
    other.all_sign_up("bob")
    other.admit(1)
    people.world.advance(120)
    table.people, table.seconds_a_page = people, 4 * SECONDS_A_PAGE
    runs = 0
    while [one for one in items_of(table) if one["pk"]["S"].startswith("ENTRY#bakery#")]:
        assert milliseconds_of_a_run(people) < TIMEOUT_MILLIS - 30_000
        people.world.advance(60)
        runs += 1
        assert runs < 20
    for _ in range(3):
        milliseconds_of_a_run(people)
        people.world.advance(60)
    assert not [one for one in items_of(table) if one["pk"]["S"] == "WAITLIST#bakery"]
