"""What a rank and a ticket mean; `scripts/lib/ticket.lua` holds the same numbers."""

from datetime import UTC, datetime, timedelta

TIER = 2**45
EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
EPOCH_MILLIS = int(EPOCH.timestamp()) * 1000
TICKETS_PER_MILLISECOND = 16


def priority_of(rank: int) -> int:
    """Return the priority (0-255, higher is served first) that a rank stands for."""
    return 255 - rank // TIER


def time_of(ticket: int) -> datetime:
    """Return the UTC time at which a ticket was drawn, to the millisecond."""
    return EPOCH + timedelta(milliseconds=ticket // TICKETS_PER_MILLISECOND)


def ticket_of_millis(millis: int) -> int:
    """Return the first ticket of a millisecond since 1970."""
    return (millis - EPOCH_MILLIS) * TICKETS_PER_MILLISECOND


def ticket_at(moment: datetime) -> int:
    """Return the first ticket of a moment's millisecond."""
    millis = (moment - EPOCH) // timedelta(milliseconds=1)
    return millis * TICKETS_PER_MILLISECOND
