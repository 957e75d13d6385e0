"""What a rank and a ticket mean; `scripts/lib/ticket.lua` holds the same numbers.

A rank is (255 - priority) * TIER + ticket. The ranks of a priority begin ROOM ahead of its first
ticket: entries that are moved to its front stand there. So the ranks of priority 255 begin below 0.
"""

from datetime import UTC, datetime, timedelta

TIER = 2**45
ROOM = 2**40
EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
EPOCH_MILLIS = int(EPOCH.timestamp()) * 1000
TICKETS_PER_MILLISECOND = 16


def priority_of(rank: int) -> int:
    """Return the priority (0-255, higher is served first) that a rank stands for."""
    # Versions without the room could leave entries behind the last priority's tickets.
    return 255 - min(255, (rank + ROOM) // TIER)


def ticket_part_of(rank: int) -> int:
    """Return the ticket at which a rank stands within its priority; of the front it is negative."""
    return rank - (255 - priority_of(rank)) * TIER


def rank_of(priority: int, ticket: int) -> int:
    """Return the rank of a ticket within a priority."""
    return (255 - priority) * TIER + ticket


def time_of(ticket: int) -> datetime:
    """Return the UTC time at which a ticket was drawn, to the millisecond."""
    return EPOCH + timedelta(milliseconds=ticket // TICKETS_PER_MILLISECOND)


def millis_of(ticket: int) -> int:
    """Return the millisecond since 1970 at which a ticket was drawn."""
    return EPOCH_MILLIS + ticket // TICKETS_PER_MILLISECOND


def ticket_of_millis(millis: int) -> int:
    """Return the first ticket of a millisecond since 1970."""
    return (millis - EPOCH_MILLIS) * TICKETS_PER_MILLISECOND


def ticket_at(moment: datetime) -> int:
    """Return the first ticket of a moment's millisecond."""
    millis = (moment - EPOCH) // timedelta(milliseconds=1)
    return millis * TICKETS_PER_MILLISECOND


def ticket_of_stay(former: int, number: int) -> int:
    """Return the ticket of the stay that gets the place of a former one back, the `number`th so.

    The ticket numbers the stay, so it is another one of the same millisecond: `joined_at` stays.
    The 16th time has used all of them, and goes on in the next millisecond.
    """
    millis = former // TICKETS_PER_MILLISECOND + (number % TICKETS_PER_MILLISECOND == 0)
    return millis * TICKETS_PER_MILLISECOND + (former + 1) % TICKETS_PER_MILLISECOND
