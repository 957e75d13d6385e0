"""Limit how often customers may change their own entry. This module does no I/O.

The limit allows a burst of changes and refills at a fixed interval. It exists because each change
writes an event, and the table keeps the event as long as the entry. Actions by which customers
keep, use or give up their place (verify, confirm, enter, exit and leave) are never limited.
"""

from waitlist_api.errors import TooManyChanges
from waitlist_api.records.entry import EntryRecord

# The burst is large enough for an app that sends each answer of a form in a request of its own.
AT_ONCE = 30
EVERY_MILLIS = 5 * 60_000


def count_join(former: EntryRecord, now_millis: int) -> int:
    """Count a signup after a former stay, and return the new stay's `changes_until_millis`.

    TooManyChanges is raised as in `count_change`. If the former stay was never verified, the signup
    is not counted, because anyone could have begun the former stay.
    """
    if former.verify_until_millis is not None:
        return former.changes_until_millis
    return count_change(former, now_millis)


def count_change(record: EntryRecord, now_millis: int) -> int:
    """Count one more change by the customer, and return the new `changes_until_millis`.

    The value carries over to the next stay, so that leaving and joining again does not reset the
    limit. TooManyChanges is raised if the customer has made too many changes.
    """
    until_millis = max(record.changes_until_millis, now_millis) + EVERY_MILLIS
    wait_millis = until_millis - now_millis - AT_ONCE * EVERY_MILLIS
    if wait_millis > 0:
        raise TooManyChanges(wait_millis)
    return until_millis
