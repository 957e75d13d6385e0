"""Tests of how the table stores an entry."""

import json
from types import SimpleNamespace
from typing import Any, get_type_hints

import pytest
from msgspec import Struct
from msgspec.structs import replace

from tests.support.dynamodb import TABLE
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_api.observability.metrics import MetricsCollector
from waitlist_api.records.decisions import transition_of
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.entry import EntryRecord, HistoryEvent
from waitlist_api.records.facets import Facet
from waitlist_api.records.intents import rejoining
from waitlist_api.records.leaves import Leave, begin_erase, begin_leave, finish_leave
from waitlist_api.records.ledger import EntryChanged, Ledger, item_of
from waitlist_api.records.retention import Retention
from waitlist_api.records.table import Table
from waitlist_api.records.transitions import Transitions
from waitlist_shared import contracts as c

KEY = ("bakery", "aaaa")
# Fields that contain no personal data. Their values are ids, or words that the service defines.
NOT_PERSONAL = {
    *("waitlist_id", "entry_id", "join_id", "moved_to", "stay"),
    *("token", "end", "ending_offer"),
}


def stay(profile: dict[str, str], attributes: dict[str, str], **fields: Any) -> EntryRecord:
    return EntryRecord(
        waitlist_id="bakery",
        entry_id="aaaa",
        customer_id="ann",
        updated_millis=1,
        profile=profile,
        attributes=attributes,
        **{"join_id": "00000001", **fields},
    )


@pytest.mark.parametrize("profile", [{}, {"name": "Ann"}, {"name": "Ann B."}])
@pytest.mark.parametrize("attributes", [{}, {"language": "English"}])
def test_an_intent_to_join_again_has_each_profile_once(
    profile: dict[str, str], attributes: dict[str, str]
) -> None:
    """When a customer signs up again with the same profile, the record does not store the profile
    twice.

    If the signup is refused, the record of the earlier signup is restored (promise P3).
    """
    former = stay({"name": "Ann"}, {"language": "English"}, status="left", ticket=8)
    intent = rejoining(stay(profile, attributes, status="joining"), former)
    item = item_of(intent)
    copy = item["intent"]["former"]
    assert ("profile" in copy) == (profile != former.profile)
    assert ("attributes" in copy) == (attributes != former.attributes)
    read = EntryRecord.from_item(item)
    assert read.former == former
    assert (read.profile, read.attributes) == (profile, attributes)


def test_an_erasure_leaves_none_of_a_persons_data_in_the_record() -> None:
    """When a customer is erased, the record immediately loses all personal data.

    The rest stays until maintenance has removed the customer from Redis (promise P8).
    """
    personal = filled(EntryRecord, NOT_PERSONAL)
    erased = begin_erase(replace(stay({}, {}, status="waiting"), **personal), 2)
    assert "Lovelace" not in json.dumps(erased.values())


def filled(struct: type[Struct], names_to_skip: set[str]) -> dict[str, Any]:
    """Return a value for each field that may contain text. Each value contains someone's name."""
    fields: dict[str, Any] = {}
    for name, kind in get_type_hints(struct).items():
        if name in names_to_skip:
            continue
        if kind is str:
            fields[name] = "Lovelace"
        elif "dict" in str(kind):
            fields[name] = {"name": "Lovelace"}
        elif isinstance(kind, type) and issubclass(kind, Facet):
            fields[name] = kind(**filled(kind, names_to_skip))
    return fields


def test_a_late_request_finishes_no_stay_but_its_own() -> None:
    """A late request changes nothing if its signup was cancelled, or if the customer has signed up
    again (promise P2).
    """
    table = Table(MemoryTable(), TABLE)
    entries = EntryRecords(table)
    former, present = (stay({}, {}, status="joining", join_id=one) for one in ("0" * 8, "1" * 8))
    entries.begin_join(former)
    entries.cancel_join(former)
    entries.begin_join(present)
    placed = c.SignupResult(outcome="joined", rank=7, ticket=7, stamp=7)
    with pytest.raises(EntryChanged):
        entries.finish_join(former, placed, 1)
    entries.finish_join(present, placed, 1)
    waiting, ledger = entries.find(*KEY), Ledger(table)
    leaving = ledger.save(waiting, begin_leave(waiting, Leave(by="customer"), 1))
    left = HistoryEvent(stamp=9, event="left", by="customer")
    with pytest.raises(EntryChanged):
        ledger.commit(former, finish_leave(former, left, 1), 1)
    ledger.commit(leaving, finish_leave(leaving, left, 1), 1)
    ended = entries.get(*KEY)
    assert ended is not None
    assert (ended.join_id, ended.status, ended.ticket) == (present.join_id, "left", 7)


def test_a_late_decision_changes_no_record_that_is_newer_or_being_left() -> None:
    """A late change from Redis does not affect a newer record, or the record of a customer who is
    leaving (promises P3 and P4).
    """
    table = Table(MemoryTable(), TABLE)
    waiting = stay({}, {}, status="waiting", rank=7, ticket=7, stamp=9)
    table.put(waiting.to_item("LINE", 7), "attribute_not_exists(#pk)")
    for_ever: Any = SimpleNamespace(retention_days_of=lambda _: None)
    transitions = Transitions(table, Retention(table, for_ever), MetricsCollector())
    entries = EntryRecords(table)
    decided: dict[str, Any] = {
        "rank": 7,
        "ticket": 7,
        "attempts": 0,
        "at": 1,
        "basis_stamp": 7,
        "placed_stamp": 0,
    }
    offered = c.Decision(verb="offered", token="0" * 40, stamp=8, **decided)
    with pytest.raises(EntryChanged):
        transitions.record(transition_of(KEY, offered, ()), 1)
    transitions.record(transition_of(KEY, replace(offered, stamp=10), ()), 1)
    record = entries.find(*KEY)
    Ledger(table).save(record, begin_leave(record, Leave(by="customer"), 1))
    released = c.Decision(
        verb="released", token="0" * 40, stamp=11, **{**decided, "basis_stamp": 10}
    )
    with pytest.raises(EntryChanged):
        transitions.record(transition_of(KEY, released, ()), 1)
    left = entries.get(*KEY)
    assert left is not None
    assert (left.status, left.stamp) == ("leaving", 10)
