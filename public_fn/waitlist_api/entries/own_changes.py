"""How often customers may change their own entry: some times at once, then at intervals. No I/O.

Each change writes an event, which is kept as long as the entry. What lets a customer keep, use or
give up a place is never refused for this: to verify, confirm, enter, exit or leave.
"""

from waitlist_api.errors import TooManyChanges
from waitlist_api.records.entry import EntryRecord

# An app that sends each answer of a form by itself stays below the first number.
AT_ONCE = 30
EVERY_MILLIS = 5 * 60_000


def count_join(former: EntryRecord, now_millis: int) -> int:
    """Return the `changes_until_millis` of a stay that follows a former one; as `count_change`.

    A stay that was never verified does not count, because anyone could have begun it.
    """
    if former.verify_until_millis is not None:
        return former.changes_until_millis
    return count_change(former, now_millis)


def count_change(record: EntryRecord, now_millis: int) -> int:
    """Return the record's `changes_until_millis` after one more change of the customer.

    It holds for all stays of the entry, so that nobody leaves and joins again without end. Raise
    TooManyChanges if there were too many.
    """
    until_millis = max(record.changes_until_millis, now_millis) + EVERY_MILLIS
    wait_millis = until_millis - now_millis - AT_ONCE * EVERY_MILLIS
    if wait_millis > 0:
        raise TooManyChanges(wait_millis)
    return until_millis
