"""A waitlist's record stores the admission policy, the segments, and the progress of building the
segments.
"""

import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.support.dynamodb import TABLE
from tests.support.tables import new_table
from waitlist_api.records.segments import Segments
from waitlist_api.records.table import Table
from waitlist_api.records.waitlists import VersionChanged, WaitlistRecord, WaitlistRecords
from waitlist_api.settings.admission import AdmissionPolicy, Scheduled
from waitlist_api.settings.waitlist import WaitlistSettings

Declared = tuple[tuple[str, ...], ...]
BY_LANGUAGE: Declared = (("language",),)
BY_BOTH: Declared = (("gender", "language"), ("language",))
NONE: Declared = ()


def settings(segments: Declared, **others: Any) -> WaitlistSettings:
    return WaitlistSettings(name="Bakery", segments=segments, **others)


def read_record(records: WaitlistRecords) -> WaitlistRecord:
    record = records.get("bakery")
    assert record
    return record


def replace_settings(records: WaitlistRecords, segments: Declared, **others: Any) -> WaitlistRecord:
    record = records.replace(read_record(records), settings(segments, **others), 2)
    assert record
    return record


@pytest.fixture
def client() -> Any:
    return new_table()


@pytest.fixture
def records(client: Any) -> WaitlistRecords:
    return WaitlistRecords(Table(client, TABLE))


def test_a_new_default_does_not_change_a_stored_policy(
    records: WaitlistRecords, client: Any
) -> None:
    records.create("bakery", settings(NONE, admission=AdmissionPolicy()), 1)
    key = {"pk": {"S": "WAITLIST#bakery"}, "sk": {"S": "CONFIG"}}
    stored = json.loads(client.get_item(TableName=TABLE, Key=key)["Item"]["settings"]["S"])
    assert set(stored["admission"]) == {
        one.encode_name for one in msgspec.structs.fields(AdmissionPolicy)
    }
    kept = AdmissionPolicy(no_show="keep_place")
    replace_settings(records, NONE, admission=kept)
    assert read_record(records).settings.admission == kept


def store_settings(client: Any, stored: dict[str, Any]) -> None:
    key = {"pk": {"S": "WAITLIST#bakery"}, "sk": {"S": "CONFIG"}}
    item = client.get_item(TableName=TABLE, Key=key)["Item"]
    client.put_item(TableName=TABLE, Item={**item, "settings": {"S": json.dumps(stored)}})


def test_a_list_that_was_made_before_a_setting_has_its_default(
    records: WaitlistRecords, client: Any
) -> None:
    records.create("bakery", settings(BY_LANGUAGE, max_guest_bytes=500), 1)
    store_settings(client, {"name": "Bakery", "admission": {"max_inside": 3}})
    policy = AdmissionPolicy(max_inside=3)
    assert read_record(records).settings == settings(NONE, admission=policy)


def test_a_stored_setting_can_be_read_after_its_limit_was_lowered(
    records: WaitlistRecords, client: Any
) -> None:
    records.create("bakery", settings(NONE), 1)
    store_settings(client, {"name": "Bakery", "max_attempts": 10**6, "page": {"text": "a" * 9000}})
    found = read_record(records).settings
    assert (found.max_attempts, found.page and len(found.page.text)) == (10**6, 9000)


def test_segments_that_are_declared_again_are_rebuilt(records: WaitlistRecords) -> None:
    records.create("bakery", settings(BY_LANGUAGE), 1)
    replace_settings(records, NONE)
    record = replace_settings(records, BY_LANGUAGE)
    assert (record.segments_version, record.segments_state) == (3, "building")


@pytest.mark.parametrize("theirs", [NONE, BY_LANGUAGE, BY_BOTH])
def test_settings_that_another_operator_has_changed_are_not_replaced(
    records: WaitlistRecords, theirs: Declared
) -> None:
    """If another operator has changed the settings in the meantime, the change is refused, even if
    it would only restore the former segments (promise P2).
    """
    records.create("bakery", settings(BY_LANGUAGE), 1)
    before = read_record(records)
    expected = replace_settings(records, theirs)
    with pytest.raises(VersionChanged):
        records.replace(before, settings(BY_LANGUAGE), 3)
    assert read_record(records) == expected


def test_the_settings_of_a_deleted_list_are_not_replaced(records: WaitlistRecords) -> None:
    records.create("bakery", settings(BY_LANGUAGE), 1)
    before = read_record(records)
    records.begin_delete("bakery", 2)
    assert records.replace(before, settings(NONE), 2) is None


AT_NINE = AdmissionPolicy(schedule=(Scheduled(cron="0 9 * * *", count=5),))
AT_TEN = AdmissionPolicy(schedule=(Scheduled(cron="0 10 * * *", count=5),))


def test_only_a_changed_schedule_starts_counting_again(records: WaitlistRecords) -> None:
    records.create("bakery", settings(NONE, admission=AT_NINE), 1)
    records.note_scheduled(read_record(records), 10)
    records.note_counted(read_record(records), 10, 5)
    noted = replace_settings(records, BY_BOTH, admission=replace(AT_NINE, max_inside=3))
    assert (noted.schedule_version, noted.schedule_since, noted.scheduled_until) == (1, 1, 10)
    assert (noted.counted_until, noted.counted_slots) == (10, 5)
    begun = replace_settings(records, BY_BOTH, admission=AT_TEN)
    assert (begun.schedule_version, begun.schedule_since, begun.scheduled_until) == (3, 2, 2)
    assert (begun.counted_until, begun.counted_slots) == (0, 0)
    assert replace_settings(records, BY_BOTH).schedule_version == 0
    assert replace_settings(records, BY_BOTH, admission=AT_TEN).schedule_version == 5


def test_progress_of_a_former_schedule_is_not_saved(records: WaitlistRecords) -> None:
    records.create("bakery", settings(NONE, admission=AT_NINE), 1)
    former = read_record(records)
    begun = replace_settings(records, NONE, admission=AT_TEN)
    assert not records.note_scheduled(former, 10)
    records.note_counted(former, 10, 5)
    assert read_record(records) == begun


def test_the_remaining_slots_of_an_instant_only_decrease(records: WaitlistRecords) -> None:
    records.create("bakery", settings(NONE, admission=AT_NINE), 1)
    for until, slots, kept in [
        (10, 5, (10, 5)),
        (10, 6, (10, 5)),
        (10, 2, (10, 2)),
        (9, 0, (10, 2)),
    ]:
        records.note_counted(read_record(records), until, slots)
        assert (read_record(records).counted_until, read_record(records).counted_slots) == kept


def test_the_progress_of_building_is_saved_only_for_the_declared_segments(
    records: WaitlistRecords,
) -> None:
    records.create("bakery", settings(BY_LANGUAGE), 1)
    former = read_record(records).segments
    current = replace_settings(records, BY_BOTH).segments
    records.note_segments(former, "ready")
    assert read_record(records).segments_state == "building"
    records.note_segments(current, "ready")
    assert read_record(records).segments_state == "ready"
    records.note_segments(Segments("florist", BY_BOTH, 2), "building")
    assert records.get("florist") is None
