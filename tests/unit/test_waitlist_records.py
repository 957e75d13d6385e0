"""The record of a waitlist: its policy, its segments, and how far they are built."""

import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.support.dynamodb import TABLE
from tests.support.tables import new_table
from waitlist_api.records.segments import Segments
from waitlist_api.records.table import Table
from waitlist_api.records.waitlists import (
    VersionChanged,
    WaitlistRecord,
    WaitlistRecords,
    WaitlistSettings,
)
from waitlist_api.settings.admission import AdmissionPolicy, Scheduled

Declared = tuple[tuple[str, ...], ...]
BY_LANGUAGE: Declared = (("language",),)
BY_BOTH: Declared = (("gender", "language"), ("language",))
NONE: Declared = ()


def settings(segments: Declared, **others: Any) -> WaitlistSettings:
    return WaitlistSettings(name="Bakery", segments=segments, **others)


def found(records: WaitlistRecords) -> WaitlistRecord:
    record = records.get("bakery")
    assert record
    return record


def replaced(records: WaitlistRecords, segments: Declared, **others: Any) -> WaitlistRecord:
    record = records.replace(found(records), settings(segments, **others), 2)
    assert record
    return record


@pytest.fixture
def client() -> Any:
    return new_table()


@pytest.fixture
def records(client: Any) -> WaitlistRecords:
    return WaitlistRecords(Table(client, TABLE))


def test_a_stored_policy_names_all_its_settings_so_a_new_default_leaves_it_as_it_is(
    records: WaitlistRecords, client: Any
) -> None:
    records.create("bakery", settings(NONE, admission=AdmissionPolicy()), 1)
    key = {"pk": {"S": "WAITLIST#bakery"}, "sk": {"S": "CONFIG"}}
    stored = json.loads(client.get_item(TableName=TABLE, Key=key)["Item"]["admission"]["S"])
    assert set(stored) == {one.encode_name for one in msgspec.structs.fields(AdmissionPolicy)}
    kept = AdmissionPolicy(no_show="keep_place")
    replaced(records, NONE, admission=kept)
    assert found(records).settings.admission == kept


def test_segments_that_are_declared_again_are_built_anew(records: WaitlistRecords) -> None:
    records.create("bakery", settings(BY_LANGUAGE), 1)
    replaced(records, NONE)
    record = replaced(records, BY_LANGUAGE)
    assert (record.segments_version, record.segments_state) == (3, "building")


@pytest.mark.parametrize("theirs", [NONE, BY_LANGUAGE, BY_BOTH])
def test_settings_that_another_operator_has_changed_since_are_not_replaced(
    records: WaitlistRecords, theirs: Declared
) -> None:
    """P2: also not by settings that would bring the former segments back."""
    records.create("bakery", settings(BY_LANGUAGE), 1)
    before = found(records)
    expected = replaced(records, theirs)
    with pytest.raises(VersionChanged):
        records.replace(before, settings(BY_LANGUAGE), 3)
    assert found(records) == expected


def test_a_list_that_is_deleted_is_not_replaced(records: WaitlistRecords) -> None:
    records.create("bakery", settings(BY_LANGUAGE), 1)
    before = found(records)
    records.begin_delete("bakery", 2)
    assert records.replace(before, settings(NONE), 2) is None


AT_NINE = AdmissionPolicy(schedule=(Scheduled(cron="0 9 * * *", count=5),))
AT_TEN = AdmissionPolicy(schedule=(Scheduled(cron="0 10 * * *", count=5),))


def test_only_another_schedule_begins_to_count_anew(records: WaitlistRecords) -> None:
    records.create("bakery", settings(NONE, admission=AT_NINE), 1)
    records.note_scheduled(found(records), 10)
    records.note_counted(found(records), 10, 5)
    noted = replaced(records, BY_BOTH, admission=replace(AT_NINE, max_inside=3))
    assert (noted.schedule_version, noted.schedule_since, noted.scheduled_until) == (1, 1, 10)
    assert (noted.counted_until, noted.counted_slots) == (10, 5)
    begun = replaced(records, BY_BOTH, admission=AT_TEN)
    assert (begun.schedule_version, begun.schedule_since, begun.scheduled_until) == (3, 2, 2)
    assert (begun.counted_until, begun.counted_slots) == (0, 0)
    assert replaced(records, BY_BOTH).schedule_version == 0
    assert replaced(records, BY_BOTH, admission=AT_TEN).schedule_version == 5


def test_a_note_about_a_former_schedule_changes_nothing(records: WaitlistRecords) -> None:
    records.create("bakery", settings(NONE, admission=AT_NINE), 1)
    former = found(records)
    begun = replaced(records, NONE, admission=AT_TEN)
    assert not records.note_scheduled(former, 10)
    records.note_counted(former, 10, 5)
    assert found(records) == begun


def test_what_is_left_of_counted_slots_only_falls(records: WaitlistRecords) -> None:
    records.create("bakery", settings(NONE, admission=AT_NINE), 1)
    for until, slots, kept in [
        (10, 5, (10, 5)),
        (10, 6, (10, 5)),
        (10, 2, (10, 2)),
        (9, 0, (10, 2)),
    ]:
        records.note_counted(found(records), until, slots)
        assert (found(records).counted_until, found(records).counted_slots) == kept


def test_how_far_segments_are_built_is_noted_of_those_declared_now(
    records: WaitlistRecords,
) -> None:
    records.create("bakery", settings(BY_LANGUAGE), 1)
    former = found(records).segments
    current = replaced(records, BY_BOTH).segments
    records.note_segments(former, "ready")
    assert found(records).segments_state == "building"
    records.note_segments(current, "ready")
    assert found(records).segments_state == "ready"
    records.note_segments(Segments("florist", BY_BOTH, 2), "building")
    assert records.get("florist") is None
