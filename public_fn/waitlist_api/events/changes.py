"""Makes the event of the bus from a change in the table's stream; decides without I/O.

A change of an entry is a history item that was inserted. An erasure is a record that was deleted.
The note of maintenance about its rounds changes each minute, and its change is the heartbeat.
"""

from typing import Any

from msgspec import Struct, to_builtins

from waitlist_api.records.entry import HISTORY, RECORD
from waitlist_api.records.rounds import KEY as ROUND_KEY
from waitlist_api.records.table import decode
from waitlist_api.records.webhooks import Detail, is_published

CHANGED = "Waitlist entry changed"
HEARTBEAT = "Waitlist heartbeat"
# The `event` in the detail of a heartbeat, by which the functions behind a queue know it.
HEARTBEAT_EVENT = "heartbeat"


class BusEvent(Struct, frozen=True):
    """An event of the bus: its detail type, and its detail as plain values."""

    detail_type: str
    detail: dict[str, Any]


def event_of(record: dict[str, Any], read_at: str) -> BusEvent | None:
    """Return the event of a stream's record; None if the bus gets none.

    A heartbeat and an erasure have no time of their own, and get the time of reading.
    """
    change = record["dynamodb"]
    keys = decode(change["Keys"])
    if keys == ROUND_KEY:
        return BusEvent(HEARTBEAT, {"event": HEARTBEAT_EVENT, "at": read_at})
    if record["eventName"] == "INSERT" and keys["sk"].startswith(HISTORY):
        item = decode(change["NewImage"])
        return _changed(Detail.of_history(item)) if is_published(item) else None
    if record["eventName"] == "REMOVE" and keys["sk"] == RECORD:
        # A record without a stamp never had a place, so it has no event.
        item = decode(change["OldImage"])
        return _changed(Detail.of_erasure(item, read_at)) if "stamp" in item else None
    return None


def _changed(detail: Detail) -> BusEvent:
    return BusEvent(CHANGED, to_builtins(detail))
