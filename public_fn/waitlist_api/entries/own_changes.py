"""Limit how often customers can change their own entry.

Each change adds an event to the entry's history, so the limit keeps the history short.
"""

from waitlist_api.errors import TooManyChanges
from waitlist_api.records.entry import EntryRecord

# How many changes a customer can make in quick succession. The limit leaves room for an app that
# sends each form field in a separate request.
AT_ONCE = 30
EVERY_MILLIS = 5 * 60_000


def count_join(former: EntryRecord, now_millis: int) -> int:
    """Count a repeated signup as one of the customer's changes.

    Raise TooManyChanges if they have made too many.
    """
    if former.verification.until_millis is not None:
        return former.changes.until_millis
    return count_change(former, now_millis)


def count_change(record: EntryRecord, now_millis: int) -> int:
    """Count a change by the customer. Raise TooManyChanges if they have made too many."""
    until_millis = max(record.changes.until_millis, now_millis) + EVERY_MILLIS
    wait_millis = until_millis - now_millis - AT_ONCE * EVERY_MILLIS
    if wait_millis > 0:
        raise TooManyChanges(wait_millis)
    return until_millis
