"""Reads this Lambda function's clock and formats times. The order of the queue never depends on
this clock.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

NowMillis = Callable[[], int]
# Returns how many milliseconds are left until the maintenance run must end.
LeftMillis = Callable[[], int]
# Returns whether the maintenance run has to stop now. The next run continues the work.
IsTimeUp = Callable[[], bool]
A_DAY_MILLIS = 24 * 3600 * 1000

_START = datetime(1970, 1, 1, tzinfo=UTC)


def now_millis() -> int:
    return time.time_ns() // 1_000_000


def no_deadline() -> int:
    """Return one day as the time left, for runs that have no deadline."""
    return A_DAY_MILLIS


def never() -> bool:
    """Return False, so that the run never stops early."""
    return False


def iso(millis: int) -> str:
    """Format a timestamp in milliseconds as ISO 8601 in UTC."""
    return iso_of(_START + timedelta(milliseconds=millis))


def iso_of(moment: datetime) -> str:
    """Format a UTC time as ISO 8601 with milliseconds."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def last_midnight(millis: int, timezone: str) -> int:
    """Return the last midnight before `millis` in this time zone, in milliseconds since 1970."""
    local = datetime.fromtimestamp(millis / 1000, ZoneInfo(timezone))
    return millis_of(local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0))


def millis_of(moment: datetime) -> int:
    """Convert a timezone-aware time to whole milliseconds since 1970."""
    return (moment - _START) // timedelta(milliseconds=1)
