"""Intents to join as they stand in the record, and what is told of their end."""

from dataclasses import replace

from waitlist_api.records.entry import EntryRecord, HistoryEvent, intent_place
from waitlist_api.records.table import Item
from waitlist_shared.contracts import BumpResult, SignupResult

# What an intent may take the place of: nothing, or a stay that has ended.
UNKNOWN = "attribute_not_exists(#pk)"
AS_FORMER = "#status = :status AND #join_id = :former_id"
# What a record has for as long as somebody is joining.
OF_INTENT = "#previous, #wanted, #wanted_priority, #drawn, #joining_by"


def values_of_former(former: EntryRecord) -> Item:
    """Return the values of AS_FORMER."""
    return {"status": former.status, "former_id": former.join_id}


def rejoining(record: EntryRecord, former: EntryRecord) -> EntryRecord:
    """Return the intent to join in place of a stay that has ended."""
    return replace(
        record,
        previous=former.values(),
        stamp=former.stamp,
        attributes_version=former.attributes_version + 1,
    )


def intent_item(record: EntryRecord) -> Item:
    """Return the item of somebody who is joining."""
    return record.to_item(intent_place(record.entry_id), record.updated_millis)


def joined_event(record: EntryRecord, place: SignupResult | BumpResult) -> HistoryEvent:
    """Tell of a signup at the time of its ticket, of an import at that of its draw."""
    if record.wanted is None:
        return HistoryEvent(stamp=place.ticket, event="joined", by="customer")
    return HistoryEvent(stamp=record.drawn, event="joined", by=record.joining_by)
