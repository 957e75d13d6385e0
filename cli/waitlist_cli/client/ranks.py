"""Computes ranks, the numbers by which Redis orders a queue. The service uses the same formula."""

from datetime import UTC, datetime, timedelta

TIER = 2**45
MOST_PRIORITY = 255
EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
TICKETS_PER_MILLISECOND = 16


def rank_of(priority: int, joined_at: datetime) -> int:
    """Return the rank of a person who signs up with this priority at this time.

    People with lower ranks are served first. If several people sign up in the same millisecond, the
    first of them gets this rank and the others get higher ranks.
    """
    ticket = (joined_at - EPOCH) // timedelta(milliseconds=1) * TICKETS_PER_MILLISECOND
    return (MOST_PRIORITY - priority) * TIER + ticket
