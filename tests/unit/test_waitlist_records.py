"""The record of a waitlist: its policy, its segments, and how far they are built."""

import json
from functools import partial
from typing import Any

import msgspec
import pytest

from tests.support import faults
from tests.support.dynamodb import TABLE
from tests.support.faults import Wire
from tests.support.tables import new_table
from waitlist_api.errors import Throttled
from waitlist_api.records.segments import Segments
from waitlist_api.records.table import Table
from waitlist_api.records.waitlists import WaitlistRecord, WaitlistRecords, WaitlistSettings
from waitlist_api.settings.admission import AdmissionPolicy

Declared = tuple[tuple[str, ...], ...]
BY_LANGUAGE: Declared = (("language",),)
BY_BOTH: Declared = (("gender", "language"), ("language",))
NONE: Declared = ()


def settings(segments: Declared, **others: Any) -> WaitlistSettings:
    return WaitlistSettings(name="Bakery", segments=segments, **others)


def replaced(records: WaitlistRecords, segments: Declared, **others: Any) -> WaitlistRecord:
    record = records.replace("bakery", settings(segments, **others), 2)
    assert record
    return record


def found(records: WaitlistRecords) -> WaitlistRecord:
    record = records.get("bakery")
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


@pytest.mark.parametrize(
    ("segments", "version", "state"), [(NONE, 0, "ready"), (BY_BOTH, 2, "building")]
)
def test_a_list_from_before_there_were_segments_declares_none(
    records: WaitlistRecords, client: Any, segments: Declared, version: int, state: str
) -> None:
    records.create("bakery", settings(NONE), 1)
    key = {"pk": {"S": "WAITLIST#bakery"}, "sk": {"S": "CONFIG"}}
    item = client.get_item(TableName=TABLE, Key=key)["Item"]
    for name in ("segments", "segments_version", "segments_state"):
        del item[name]
    client.put_item(TableName=TABLE, Item=item)
    assert found(records).settings == settings(NONE)
    assert (found(records).segments_version, found(records).segments_state) == (0, "ready")
    record = replaced(records, segments)
    assert (record.settings.segments, record.segments_version) == (segments, version)
    assert record.segments_state == state


@pytest.mark.parametrize("mine", [NONE, BY_LANGUAGE, BY_BOTH])
@pytest.mark.parametrize("theirs", [NONE, BY_LANGUAGE, BY_BOTH])
@pytest.mark.parametrize("step", [0, 1])
def test_of_two_operators_at_once_the_later_one_decides_and_neither_is_lost(
    step: int, theirs: Declared, mine: Declared
) -> None:
    """P2: the other's change comes before or between the two writes of mine."""
    wire, table = Wire(), new_table()
    records, others = (
        WaitlistRecords(Table(client, TABLE)) for client in (wire.client(table), table)
    )
    records.create("bakery", settings(BY_LANGUAGE), 1)
    wire.arm(step, faults.before(lambda: others.replace("bakery", settings(theirs), 2)))
    record = replaced(records, mine)
    is_between = len(wire.calls) > step
    assert record == found(others)
    assert record.version == (3 if is_between else 2)
    assert record.settings.segments == mine
    changed_by_them = 2 if is_between and theirs != BY_LANGUAGE else 1
    before = theirs if is_between else BY_LANGUAGE
    expected = record.version if before != mine else changed_by_them
    assert record.segments_version == (expected if mine else 0)
    assert record.segments_state == ("building" if mine and expected > 1 else "ready")


def test_a_change_whose_answer_is_lost_is_not_begun_anew_by_its_repeat() -> None:
    """P2"""
    wire = Wire()
    records = WaitlistRecords(Table(wire.client(new_table()), TABLE))
    records.create("bakery", settings(NONE), 1)
    wire.arm(1, faults.after(lambda: records.note_segments(found(records).segments, "ready")))
    replaced(records, BY_BOTH)
    wire.disarm()
    record = replaced(records, BY_BOTH)
    assert (record.version, record.segments_version, record.segments_state) == (3, 2, "ready")


def test_a_replacement_that_is_overtaken_again_and_again_is_throttled() -> None:
    wire, table = Wire(), new_table()
    records, others = (
        WaitlistRecords(Table(client, TABLE)) for client in (wire.client(table), table)
    )
    records.create("bakery", settings(BY_BOTH), 1)
    wire.disarm()
    for step in range(20):
        # Other than mine when I try for the same, the same when I try for others.
        theirs = settings(BY_LANGUAGE if step % 2 else NONE)
        wire.also(step, faults.before(partial(others.replace, "bakery", theirs, 2)))
    with pytest.raises(Throttled):
        replaced(records, BY_LANGUAGE)
    assert found(others).version == 1 + len(wire.calls)


@pytest.mark.parametrize("segments", [NONE, BY_LANGUAGE, BY_BOTH])
def test_a_list_that_is_deleted_or_unknown_is_not_replaced(
    records: WaitlistRecords, segments: Declared
) -> None:
    assert records.replace("bakery", settings(segments), 2) is None
    records.create("bakery", settings(BY_LANGUAGE), 1)
    records.begin_delete("bakery", 2)
    assert records.replace("bakery", settings(segments), 2) is None


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
