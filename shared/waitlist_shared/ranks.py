"""Computes ranks and tickets.

A rank consists of a priority and a ticket. Each priority has its own range of ranks. The first ROOM
ranks of each range are kept free for entries that are moved to the front of the priority.

The file `scripts/lib/tickets.lua` contains the same constants.
"""

from datetime import UTC, datetime, timedelta

TIER = 2**45
ROOM = 2**40
EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
EPOCH_MILLIS = int(EPOCH.timestamp()) * 1000
TICKETS_PER_MILLISECOND = 16


def priority_of(rank: int) -> int:
    """Return the priority of a rank, from 0 to 255."""
    # Priority 0 is the last priority, and its range of ranks has no upper end.
    return 255 - min(255, (rank + ROOM) // TIER)


def ticket_part_of(rank: int) -> int:
    """Return the ticket that is part of a rank. The ticket is negative if the entry was moved ahead
    of all tickets in its priority.
    """
    return rank - (255 - priority_of(rank)) * TIER


def rank_of(priority: int, ticket: int) -> int:
    """Return the rank of an entry with this priority and ticket."""
    return (255 - priority) * TIER + ticket


def time_of(ticket: int) -> datetime:
    """Return when a ticket was allocated, in UTC, to the millisecond."""
    return EPOCH + timedelta(milliseconds=ticket // TICKETS_PER_MILLISECOND)


def millis_of(ticket: int) -> int:
    """Return when a ticket was allocated, in milliseconds since 1970."""
    return EPOCH_MILLIS + ticket // TICKETS_PER_MILLISECOND


def ticket_of_millis(millis: int) -> int:
    """Return the first ticket of a millisecond. `millis` is the Unix time in milliseconds."""
    return (millis - EPOCH_MILLIS) * TICKETS_PER_MILLISECOND


def ticket_at(moment: datetime) -> int:
    """Return the first ticket of the millisecond that contains this moment."""
    millis = (moment - EPOCH) // timedelta(milliseconds=1)
    return millis * TICKETS_PER_MILLISECOND


def ticket_of_reinstated_stay(former: int, number: int) -> int:
    """Return a new ticket that puts a reinstated entry back at its former place."""
    # Stay within the millisecond of the former ticket, so that `joined_at` does not change. A
    # millisecond has only 16 tickets, so every 16th reinstatement of an entry uses the next
    # millisecond.
    millis = former // TICKETS_PER_MILLISECOND + (number % TICKETS_PER_MILLISECOND == 0)
    return millis * TICKETS_PER_MILLISECOND + (former + 1) % TICKETS_PER_MILLISECOND
