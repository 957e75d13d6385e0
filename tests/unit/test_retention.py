"""Tests of which items about a person expire, and when."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.dynamodb import TABLE
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.records.entry import EntryRecord, HistoryEvent, ended_place
from waitlist_api.records.histories import Histories
from waitlist_api.records.retention import Retention
from waitlist_api.records.table import Table
from waitlist_api.records.transitions import Transitions

KEY = ("bakery", "a" * 26)
EXPIRES = 1_800_000_000
NOW = 1_790_000_000_000


def cache_with_retention(days: int | None) -> Any:
    return SimpleNamespace(retention_days_of=lambda _: days)


@pytest.fixture
def memory() -> MemoryTable:
    return MemoryTable()


@pytest.fixture
def table(memory: MemoryTable) -> Table:
    return Table(memory, TABLE)


def record_admission(table: Table) -> None:
    record = EntryRecord(
        waitlist_id=KEY[0],
        entry_id=KEY[1],
        customer_id="ada",
        status="admitted",
        join_id="00000001",
        updated_millis=1,
        stamp=10,
        expires_at=EXPIRES,
    )
    table.put(record.to_item(ended_place(KEY[0], 0), 1), "attribute_not_exists(#pk)")


def read_history(memory: MemoryTable, now_millis: int = NOW) -> list[HistoryEvent]:
    events, _ = Histories(Table(memory, TABLE), lambda: now_millis).page(*KEY, None, 100)
    return events


def test_an_event_that_is_written_late_expires_with_its_record(
    memory: MemoryTable, table: Table
) -> None:
    record_admission(table)
    event = HistoryEvent(stamp=9, event="offered", by="operator")
    Transitions(table, Retention(table, cache_with_retention(30)), MetricsCollector()).append(
        KEY, event, NOW
    )
    (written,) = read_history(memory)
    assert written.expires_at == EXPIRES
    assert read_history(memory, EXPIRES * 1000) == []


def test_events_of_a_later_stay_do_not_expire(memory: MemoryTable, table: Table) -> None:
    for stamp in (5, 10, 11):
        event = HistoryEvent(stamp=stamp, event="bumped", by="operator")
        table.put(event.to_item(*KEY), "attribute_not_exists(#pk)")
    retention = Retention(table, cache_with_retention(30))
    retention.expire_history(KEY, 10, EXPIRES)
    retention.expire_history(KEY, 10, EXPIRES + 1)
    assert [event.expires_at for event in read_history(memory)] == [EXPIRES, EXPIRES, None]


def test_retention_is_counted_in_whole_days() -> None:
    retention = Retention(Table(None, TABLE), cache_with_retention(2))
    assert retention.expires_at("bakery", 5_999) == 5 + 2 * 24 * 3600
    assert (
        Retention(Table(None, TABLE), cache_with_retention(None)).expires_at("bakery", 5_999)
        is None
    )
