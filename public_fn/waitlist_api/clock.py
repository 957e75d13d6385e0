"""The function's own clock: for timestamps and leases, never for the order."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

NowMillis = Callable[[], int]
# Returns how long a run may still take.
LeftMillis = Callable[[], int]
# Returns whether work must stop; the next run does the rest.
IsTimeUp = Callable[[], bool]
A_DAY_MILLIS = 24 * 3600 * 1000

_START = datetime(1970, 1, 1, tzinfo=UTC)


def now_millis() -> int:
    """Return milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def without_end() -> int:
    """Return the time left of a run without a deadline."""
    return A_DAY_MILLIS


def never() -> bool:
    """Return that there is time for all work."""
    return False


def iso(millis: int) -> str:
    """Return an ISO-8601 time in UTC, to the millisecond."""
    return iso_of(_START + timedelta(milliseconds=millis))


def iso_of(moment: datetime) -> str:
    """Return an ISO-8601 time in UTC, to the millisecond."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def millis_of(moment: datetime) -> int:
    """Return the whole milliseconds since 1970 of a time with its offset."""
    return (moment - _START) // timedelta(milliseconds=1)
