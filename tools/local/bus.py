"""The events that the bus gets of a table's stream, by the function's code and its stream's filter.

Lambda applies the filter of the template before it calls the function.
"""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from tools.local.table import read_template
from waitlist_api.events.changes import CHANGED, event_of

Item = dict[str, Any]
SOURCE = "waitlist.waitlist-prod"
# When the function reads a record, if the caller does not say.
READ_AT = "2026-09-22T15:42:59Z"
STREAM = "Stream"


def stream_filters() -> list[Item]:
    """Return the patterns of the function's stream."""
    event = read_template()["Resources"]["EventsFn"]["Properties"]["Events"][STREAM]
    return [json.loads(one["Pattern"]) for one in event["Properties"]["FilterCriteria"]["Filters"]]


@cache
def _patterns() -> list[Any]:
    # moto takes 0.2 s to import; only lists with messages and webhooks need it. Lambda's filters
    # and the patterns of rules are one language.
    from moto.events.models import EventPattern

    return [EventPattern(None, pattern) for pattern in stream_filters()]


def lets_through(record: Item) -> bool:
    """Return whether Lambda hands a record to the function."""
    return any(pattern.matches_event(record) for pattern in _patterns())


def events_of(records: Iterable[Item], read_at: str = READ_AT) -> list[Item]:
    """Return all events that a bus gets from a stream, in the stream's order."""
    found = (event_of(record, read_at) for record in records if lets_through(record))
    return [
        {"source": SOURCE, "detail-type": one.detail_type, "detail": one.detail}
        for one in found
        if one is not None
    ]


def details_of(records: Iterable[Item], read_at: str = READ_AT) -> list[Item]:
    """Return the details of the changes of entries."""
    events = events_of(records, read_at)
    return [event["detail"] for event in events if event["detail-type"] == CHANGED]
