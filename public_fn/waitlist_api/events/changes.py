"""Converts changes in the DynamoDB stream to events for the event bus."""

from typing import Any

from msgspec import Struct, to_builtins

from waitlist_api.records.entry import HISTORY, RECORD
from waitlist_api.records.published import HEARTBEAT_EVENT, Detail, is_published
from waitlist_api.records.rounds import KEY as ROUND_KEY
from waitlist_api.records.table import decode

CHANGED = "Waitlist entry changed"
HEARTBEAT = "Waitlist heartbeat"


class BusEvent(Struct, frozen=True):
    """An event for the event bus. `detail` contains only types that JSON can represent."""

    detail_type: str
    detail: dict[str, Any]


def event_of(record: dict[str, Any], read_at: str) -> BusEvent | None:
    """Return the event for a stream record, or None if the change is not published."""
    change = record["dynamodb"]
    keys = decode(change["Keys"])
    if keys == ROUND_KEY:
        return BusEvent(HEARTBEAT, {"event": HEARTBEAT_EVENT, "at": read_at})
    if record["eventName"] == "INSERT" and keys["sk"].startswith(HISTORY):
        item = decode(change["NewImage"])
        return _changed(Detail.from_history_item(item)) if is_published(item) else None
    if record["eventName"] == "REMOVE" and keys["sk"] == RECORD:
        # A record without a stamp (a logical timestamp) belongs to a customer who has never been on
        # the waitlist. No event about this customer was published, so do not publish the record's
        # deletion.
        item = decode(change["OldImage"])
        return _changed(Detail.from_erased_record(item, read_at)) if "stamp" in item else None
    return None


def _changed(detail: Detail) -> BusEvent:
    return BusEvent(CHANGED, to_builtins(detail))
