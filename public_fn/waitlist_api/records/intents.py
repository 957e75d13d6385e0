"""Intents to join, as items of the record, and the event of their end."""

from dataclasses import replace

from waitlist_api.records.entry import EntryRecord, HistoryEvent, intent_place
from waitlist_api.records.table import Item

# An intent replaces nothing, or a stay that has ended.
UNKNOWN = "attribute_not_exists(#pk)"
AS_FORMER = "#status = :status AND #join_id = :former_id"
# Fields that a record has only while the entry is joining.
OF_INTENT = "#previous, #wanted, #wanted_priority, #drawn, #joining_by"


def values_of_former(former: EntryRecord) -> Item:
    """Return the values of AS_FORMER."""
    return {"status": former.status, "former_id": former.join_id}


def rejoining(record: EntryRecord, former: EntryRecord) -> EntryRecord:
    """Return the intent to join that replaces an ended stay."""
    return replace(
        record,
        previous=former.values(),
        stamp=former.stamp,
        attributes_version=former.attributes_version + 1,
    )


def intent_item(record: EntryRecord) -> Item:
    """Return the item of a joining entry."""
    return record.to_item(intent_place(record.entry_id), record.updated_millis)


def joined_event(record: EntryRecord, ticket: int) -> HistoryEvent:
    """Return the event of a signup, stamped with its ticket, or of an import, with its draw."""
    if record.requested_ticket is None:
        return HistoryEvent(stamp=ticket, event="joined", by="customer")
    return HistoryEvent(stamp=record.allocated_stamp, event="joined", by=record.joining_by)
