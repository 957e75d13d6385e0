"""The clock of this function.

It is used for timestamps and leases, but never for the queue's order.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

NowMillis = Callable[[], int]
# A function that returns how many milliseconds a run may still take.
LeftMillis = Callable[[], int]
# A function that returns whether work must stop. The next run continues the work.
IsTimeUp = Callable[[], bool]
A_DAY_MILLIS = 24 * 3600 * 1000

_START = datetime(1970, 1, 1, tzinfo=UTC)


def now_millis() -> int:
    return time.time_ns() // 1_000_000


def no_deadline() -> int:
    """Return the time that is left in a run without a deadline."""
    return A_DAY_MILLIS


def never() -> bool:
    """Return that the time is never up."""
    return False


def iso(millis: int) -> str:
    """Format a time in milliseconds as ISO 8601 in UTC."""
    return iso_of(_START + timedelta(milliseconds=millis))


def iso_of(moment: datetime) -> str:
    """Format a UTC time as ISO 8601, with milliseconds."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def millis_of(moment: datetime) -> int:
    """Convert a time with an offset to whole milliseconds since 1970."""
    return (moment - _START) // timedelta(milliseconds=1)
