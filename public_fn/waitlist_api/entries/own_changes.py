"""Limit how often customers can change their own entry. This module does no I/O.

The limit allows a burst of changes and refills at a fixed interval. It exists because each change
adds an event to the history, which is kept as long as the entry. Customers can always verify,
confirm, enter, exit and leave. These actions are not limited.
"""

from waitlist_api.errors import TooManyChanges
from waitlist_api.records.entry import EntryRecord

# The size of a burst. It is large enough for an app that sends each form field in a separate
# request.
AT_ONCE = 30
EVERY_MILLIS = 5 * 60_000


def count_join(former: EntryRecord, now_millis: int) -> int:
    """Count a signup by a customer who has signed up before, and return `changes_until_millis`.

    Raise TooManyChanges if the customer has made too many changes. If the former signup was never
    verified, the new signup is not counted, because a stranger may have entered the address.
    """
    if former.verify_until_millis is not None:
        return former.changes_until_millis
    return count_change(former, now_millis)


def count_change(record: EntryRecord, now_millis: int) -> int:
    """Count a change by the customer, and return the new `changes_until_millis`.

    The value is kept when the customer leaves and joins again, so this does not reset the limit.
    Raise TooManyChanges if the customer has made too many changes.
    """
    until_millis = max(record.changes_until_millis, now_millis) + EVERY_MILLIS
    wait_millis = until_millis - now_millis - AT_ONCE * EVERY_MILLIS
    if wait_millis > 0:
        raise TooManyChanges(wait_millis)
    return until_millis
