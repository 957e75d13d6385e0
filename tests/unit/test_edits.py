"""What is recorded when attributes or the profile of a person change."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.support.dynamodb import TABLE, dynamodb
from tests.support.tables import new_table
from waitlist_api.records.edits import Edits
from waitlist_api.records.entries import EntryChanged, EntryRecords
from waitlist_api.records.entry import EntryRecord, HistoryEvent, Status, line_place
from waitlist_api.records.erasures import Erasures
from waitlist_api.records.histories import Histories
from waitlist_api.records.table import Table

ENTRY_ID = "a" * 26
KEY = ("bakery", ENTRY_ID)
ANN = EntryRecord(
    waitlist_id="bakery",
    entry_id=ENTRY_ID,
    customer_id="ann",
    status="waiting",
    join_id="00000001",
    created_millis=1,
    updated_millis=1,
    profile={"name": "Ann"},
    attributes={"language": "Spanish"},
    rank=7,
    ticket=7,
    stamp=7,
)
FRENCH = {"language": ["French", "日本語"]}
EDITED = HistoryEvent(stamp=8, event="edited", by="operator")


@pytest.fixture(params=["memory", "moto"])
def table(request: pytest.FixtureRequest) -> Iterator[Table]:
    if request.param == "memory":
        yield Table(new_table(), TABLE)
        return
    with dynamodb() as moto:
        yield Table(moto, TABLE)


@pytest.fixture
def edits(table: Table) -> Edits:
    return Edits(table)


def put(table: Table, record: EntryRecord) -> None:
    table.put(record.to_item(line_place("bakery", 0), 7), "attribute_not_exists(#pk)")


def edit(edits: Edits, **given: Any) -> EntryRecord:
    attributes, profile = given.get("attributes"), given.get("profile")
    return edits.record(KEY, attributes, profile, given.get("event", EDITED), 2)


def history(table: Table) -> list[HistoryEvent]:
    found = Histories(table).with_record(*KEY)
    return found[1] if found else []


def test_attributes_are_replaced_and_counted(table: Table, edits: Edits) -> None:
    put(table, ANN)
    record = edit(edits, attributes=FRENCH)
    changed: dict[str, Any] = {
        "attributes": FRENCH,
        "attributes_version": 1,
        "edited_stamp": EDITED.stamp,
    }
    assert record == replace(ANN, **changed, updated_millis=2)
    assert record == EntryRecords(table).get(*KEY)
    again = edit(edits, attributes={})
    assert (again.attributes, again.attributes_version) == ({}, 2)


def test_a_profile_alone_leaves_the_attributes_as_they_are(table: Table, edits: Edits) -> None:
    put(table, ANN)
    edited = replace(ANN, profile={}, edited_stamp=EDITED.stamp, updated_millis=2)
    assert edit(edits, profile={}) == edited


def test_both_change_together(table: Table, edits: Edits) -> None:
    put(table, replace(ANN, attributes_version=4))
    record = edit(edits, attributes=FRENCH, profile={"name": "Anne"})
    assert (record.attributes, record.attributes_version) == (FRENCH, 5)
    assert record.profile == {"name": "Anne"}


def test_what_is_recorded_already_is_no_change(table: Table, edits: Edits) -> None:
    """P2"""
    put(table, ANN)
    record = edit(edits, attributes=FRENCH)
    with pytest.raises(EntryChanged) as refusal:
        edit(edits, attributes=FRENCH, profile=ANN.profile)
    assert refusal.value.record == record
    assert edit(edits, attributes=FRENCH, profile={}).attributes_version == 2


def test_the_history_tells_of_it(table: Table, edits: Edits) -> None:
    put(table, ANN)
    edit(edits, profile={})
    assert history(table) == [EDITED]


@pytest.mark.parametrize("status", ["waiting", "offered", "parked"])
def test_whoever_is_on_the_list_is_edited(table: Table, edits: Edits, status: Status) -> None:
    put(table, replace(ANN, status=status))
    assert edit(edits, attributes=FRENCH).status == status


@pytest.mark.parametrize("status", ["joining", "leaving", "left", "admitted"])
def test_whoever_is_not_is_left_alone(table: Table, edits: Edits, status: Status) -> None:
    """P5"""
    other = replace(ANN, status=status)
    put(table, other)
    with pytest.raises(EntryChanged) as refusal:
        edit(edits, attributes=FRENCH, profile={})
    assert refusal.value.record == other
    assert EntryRecords(table).get(*KEY) == other
    assert history(table) == []


def test_nobody_is_made_up(table: Table, edits: Edits) -> None:
    """P5"""
    with pytest.raises(EntryChanged) as refusal:
        edit(edits, attributes=FRENCH)
    assert refusal.value.record is None
    assert history(table) == []


def test_an_erased_person_has_no_attributes_and_gets_none(table: Table, edits: Edits) -> None:
    """P8"""
    put(table, ANN)
    edit(edits, attributes=FRENCH)
    erased = Erasures(table).begin_erase(*KEY, 3)
    assert (erased.attributes, erased.attributes_version) == ({}, 0)
    with pytest.raises(EntryChanged):
        edit(edits, attributes=FRENCH)


def test_whoever_comes_again_goes_on_counting(table: Table, edits: Edits) -> None:
    put(table, replace(ANN, attributes_version=3))
    former = EntryRecords(table).begin_leave(KEY, "customer", "", 3)
    entries = EntryRecords(table)
    entries.finish_leave(former, HistoryEvent(stamp=9, event="left", by="customer"), 4)
    left = entries.get(*KEY)
    assert left
    again = replace(ANN, status="joining", join_id="00000002", attributes=FRENCH)
    assert entries.begin_rejoin(again, left).attributes_version == 4
    begun = entries.get(*KEY)
    assert begun
    assert (begun.attributes, begun.attributes_version) == (FRENCH, 4)
    entries.cancel_join(begun)
    assert entries.get(*KEY) == left
