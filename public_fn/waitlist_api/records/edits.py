"""Change an entry's attributes, profile or readiness while the entry is on the waitlist.

The functions write nothing. They return a change, which the ledger writes.
"""

from typing import Any

from msgspec.structs import replace

from waitlist_api.records.entry import READINESS_CHANGE, EntryRecord, HistoryEvent
from waitlist_api.records.journal import EDITED, change_of
from waitlist_api.records.ledger import Commit


def edit(
    record: EntryRecord,
    event: HistoryEvent,
    now_millis: int,
    attributes: dict[str, Any] | None = None,
    profile: dict[str, Any] | None = None,
) -> Commit:
    """Return the change that replaces an entry's attributes, its profile, or both."""
    after = record
    if attributes is not None:
        version = record.attributes_version + 1
        after = replace(after, attributes=attributes, attributes_version=version)
    if profile is not None:
        after = replace(after, profile=profile)
    return _edited(record, after, event, now_millis)


def change_readiness(
    record: EntryRecord, after: EntryRecord, event: HistoryEvent, now_millis: int
) -> Commit:
    """Return the change that makes an entry ready or not ready."""
    version = record.attributes_version + READINESS_CHANGE
    return _edited(record, replace(after, attributes_version=version), event, now_millis)


def _edited(
    record: EntryRecord, after: EntryRecord, event: HistoryEvent, now_millis: int
) -> Commit:
    # Maintenance usually compares only the status and the rank of a changed record with Redis. If
    # the journal contains the status `edited`, maintenance compares the whole record.
    change = change_of(record, event.stamp, EDITED)
    changes = replace(after.changes, edited_stamp=event.stamp)
    after = replace(after, changes=changes, updated_millis=now_millis)
    return Commit(after=after, events=(event,), change=change)
