"""The table contains a sample for each minute and one for each hour.

Samples expire and can be deleted.
"""

import pytest

from tests.support.dynamodb import TABLE
from tests.support.tables import items_of
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_api.records.samples import HOUR_MILLIS, MINUTE_MILLIS, Every, Sample, SampleRecords
from waitlist_api.records.table import Table

START = 1_780_272_000_000  # a midnight
WAITLIST_ID = "bakery"


@pytest.fixture
def memory() -> MemoryTable:
    return MemoryTable()


@pytest.fixture
def records(memory: MemoryTable) -> SampleRecords:
    return SampleRecords(Table(memory, TABLE))


def write(records: SampleRecords, every: Every, count: int, waitlist_id: str = WAITLIST_ID) -> None:
    step = MINUTE_MILLIS if every == "minute" else HOUR_MILLIS
    samples = [Sample(millis=START + one * step, joined=one) for one in range(count)]
    records.write([(waitlist_id, every, one) for one in samples])


def test_a_sample_is_read_with_the_values_that_were_written(records: SampleRecords) -> None:
    sample = Sample(millis=START, joined=9, admitted=4, left=1, waiting=2, offered=1, parked=1)
    records.write([(WAITLIST_ID, "minute", sample)])
    assert records.read(WAITLIST_ID, "minute", START) == [sample]
    assert records.read(WAITLIST_ID, "hour", START) == []
    assert records.read("other", "minute", START) == []


def test_the_samples_of_a_period_are_in_order(records: SampleRecords) -> None:
    write(records, "minute", 100)
    until = START + 90 * MINUTE_MILLIS
    found = records.read(WAITLIST_ID, "minute", START + 58 * MINUTE_MILLIS, until)
    assert [one.joined for one in found] == list(range(58, 91))
    assert len(records.read(WAITLIST_ID, "minute", START)) == 100


def test_the_last_hourly_sample_before_a_time_is_found(records: SampleRecords) -> None:
    write(records, "minute", 300)
    write(records, "hour", 3)
    last = records.last(WAITLIST_ID, START + 4 * HOUR_MILLIS, START)
    assert last == Sample(millis=START + 2 * HOUR_MILLIS, joined=2)
    assert records.last(WAITLIST_ID, START - 1, START - HOUR_MILLIS) is None


def test_minutes_are_kept_for_two_days_and_hours_for_four_weeks(
    memory: MemoryTable, records: SampleRecords
) -> None:
    write(records, "minute", 1)
    write(records, "hour", 1)
    days = {
        item["sk"]["S"]: (int(item["expires_at"]["N"]) - START // 1000) / 86_400
        for item in items_of(memory)
    }
    assert days == {"SAMPLE#HOUR#2026-06-01T00": 28, "SAMPLE#MINUTE#2026-06-01T00:00": 2}


def test_deleting_a_list_deletes_only_its_own_samples(
    memory: MemoryTable, records: SampleRecords
) -> None:
    write(records, "minute", 60)
    write(records, "hour", 2)
    write(records, "minute", 1, "other")
    records.delete(WAITLIST_ID)
    assert [item["pk"]["S"] for item in items_of(memory)] == ["WAITLIST#other"]
