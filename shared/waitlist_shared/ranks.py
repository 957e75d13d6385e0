"""How ranks and tickets are computed. `scripts/lib/ticket.lua` has the same constants.

A rank is (255 - priority) * TIER + ticket. The ranks of a priority begin ROOM below the rank of its
first ticket. An entry that is moved to the front of its priority gets a rank in this room. The
ranks of priority 255 therefore begin below 0.
"""

from datetime import UTC, datetime, timedelta

TIER = 2**45
ROOM = 2**40
EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
EPOCH_MILLIS = int(EPOCH.timestamp()) * 1000
TICKETS_PER_MILLISECOND = 16


def priority_of(rank: int) -> int:
    """Return the priority (0 to 255, the highest is served first) that a rank belongs to."""
    # A rank above the last ticket of priority 0 belongs to priority 0 too.
    return 255 - min(255, (rank + ROOM) // TIER)


def ticket_part_of(rank: int) -> int:
    """Return the ticket that corresponds to a rank within its priority.

    The result is negative if the entry was moved ahead of all tickets of its priority.
    """
    return rank - (255 - priority_of(rank)) * TIER


def rank_of(priority: int, ticket: int) -> int:
    """Return the rank of a ticket within a priority."""
    return (255 - priority) * TIER + ticket


def time_of(ticket: int) -> datetime:
    """Return the UTC time at which a ticket was drawn, to the millisecond."""
    return EPOCH + timedelta(milliseconds=ticket // TICKETS_PER_MILLISECOND)


def millis_of(ticket: int) -> int:
    """Return the time at which a ticket was drawn, in milliseconds since 1970."""
    return EPOCH_MILLIS + ticket // TICKETS_PER_MILLISECOND


def ticket_of_millis(millis: int) -> int:
    """Return the first ticket of a millisecond. Milliseconds are counted since 1970."""
    return (millis - EPOCH_MILLIS) * TICKETS_PER_MILLISECOND


def ticket_at(moment: datetime) -> int:
    """Return the first ticket of the millisecond that contains this moment."""
    millis = (moment - EPOCH) // timedelta(milliseconds=1)
    return millis * TICKETS_PER_MILLISECOND


def ticket_of_reinstated_stay(former: int, number: int) -> int:
    """Return the ticket of a reinstated stay, which takes over the place of a former stay.

    `former` is the ticket of the former stay, and `number` counts the reinstatements of the place.
    A ticket identifies a stay, so the new stay needs a ticket of its own. The new ticket has the
    same millisecond, so that `joined_at` does not change. A millisecond has only 16 tickets, so
    every 16th reinstatement moves on to the next millisecond.
    """
    millis = former // TICKETS_PER_MILLISECOND + (number % TICKETS_PER_MILLISECOND == 0)
    return millis * TICKETS_PER_MILLISECOND + (former + 1) % TICKETS_PER_MILLISECOND
