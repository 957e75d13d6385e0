"""Turns the records of the table's stream into the events that the service sends to the event bus.

In AWS, Lambda passes only some of the stream's records to the events function. This module applies
the same filter, which it reads from the template.
"""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from tools.local.table import read_template
from waitlist_api.events.changes import CHANGED, event_of

Item = dict[str, Any]
SOURCE = "waitlist.waitlist-prod"
# When the events function reads a record, unless a test says otherwise.
READ_AT = "2026-09-22T15:42:59Z"
STREAM = "Stream"


def stream_filters() -> list[Item]:
    event = read_template()["Resources"]["EventsFn"]["Properties"]["Events"][STREAM]
    return [
        json.loads(pattern["Pattern"])
        for pattern in event["Properties"]["FilterCriteria"]["Filters"]
    ]


@cache
def _patterns() -> list[Any]:
    # Import moto only when it is needed, because the import takes 0.2 s. moto can match EventBridge
    # patterns, and Lambda's event filters have the same syntax.
    from moto.events.models import EventPattern

    return [EventPattern(None, pattern) for pattern in stream_filters()]


def lets_through(record: Item) -> bool:
    """Return whether Lambda would pass a record to the events function."""
    return any(pattern.matches_event(record) for pattern in _patterns())


def events_of(records: Iterable[Item], read_at: str = READ_AT) -> list[Item]:
    # Most records do not become events. Matching a record against the filter is slower than finding
    # that out, so the filter comes last.
    found = ((record, event_of(record, read_at)) for record in records)
    return [
        {"source": SOURCE, "detail-type": event.detail_type, "detail": event.detail}
        for record, event in found
        if event is not None and lets_through(record)
    ]


def details_of(records: Iterable[Item], read_at: str = READ_AT) -> list[Item]:
    """Return the details of the events that report a change to an entry."""
    events = events_of(records, read_at)
    return [event["detail"] for event in events if event["detail-type"] == CHANGED]
