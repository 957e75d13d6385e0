"""The instants of a schedule: when places become due, and how many."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import groupby, islice
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from msgspec import Struct

from waitlist_api.clock import millis_of
from waitlist_api.settings.admission import Scheduled
from waitlist_shared.limits import MAX_INSTANTS

# The longest change of a clock that the time zone database has, but for moves of the date line.
LONGEST_CHANGE_SECONDS = 3 * 3600


class Instant(Struct, frozen=True):
    """One time of a schedule, in milliseconds since 1970, and the places that become due at it."""

    millis: int
    count: int


def instants_after(schedule: Sequence[Scheduled], millis: int) -> Iterator[Instant]:
    """Yield the instants later than a time, the earliest first, without end if one is recurring.

    The places of all rows that have the same time are one instant. In a zone with daylight saving
    time a row counts as in Debian's cron. A row whose minute or hour begins with `*` follows the
    clock on the wall: an hourly row has 23 times on the day that lacks an hour, and 25 on the day
    that has an hour twice. Of any other row each time counts once: a time that the clock skips
    counts just after the gap, and of a time that the clock shows twice the first one counts.
    """
    times = merge(*(_instants_of(one, millis) for one in schedule), key=_millis_of)
    for at_millis, instants in groupby(times, _millis_of):
        yield Instant(at_millis, sum(instant.count for instant in instants))


def instants_between(
    schedule: Sequence[Scheduled], after_millis: int, until_millis: int
) -> list[Instant]:
    """Return the first instants after a time, up to another and `MAX_INSTANTS` of them."""
    found: list[Instant] = []
    for instant in islice(instants_after(schedule, after_millis), MAX_INSTANTS):
        if instant.millis > until_millis:
            break
        found.append(instant)
    return found


def next_instant(schedule: Sequence[Scheduled], millis: int) -> Instant | None:
    """Return the first instant after a time, or None."""
    return next(instants_after(schedule, millis), None)


def check_cron(expression: str) -> None:
    """Raise ValueError if a cron expression is invalid, or has no time in the next 50 years."""
    try:
        next(CronSim(expression, datetime(2024, 1, 1, tzinfo=UTC)))
    except CronSimError as error:
        raise ValueError(f"is not a cron expression of five fields: {error}") from error
    except StopIteration as error:
        raise ValueError("is a cron expression without any time, such as 30 February") from error
    if len(expression.split()) != 5:
        raise ValueError("must have five fields: minute, hour, day, month, day of week")


def _instants_of(scheduled: Scheduled, millis: int) -> Iterator[Instant]:
    if scheduled.at is not None:
        at_millis = millis_of(datetime.fromisoformat(scheduled.at))
        if at_millis > millis:
            yield Instant(at_millis, scheduled.count)
        return
    for at_millis in _times_of(scheduled.cron or "", ZoneInfo(scheduled.timezone), millis):
        if at_millis > millis:
            yield Instant(at_millis, scheduled.count)


def _times_of(cron: str, zone: ZoneInfo, millis: int) -> Iterator[int]:
    """Yield the times of a cron expression from about a time on, in milliseconds since 1970."""
    # Just after a change of the clock CronSim may skip a time, so it begins before the change.
    start = datetime.fromtimestamp(millis / 1000 - LONGEST_CHANGE_SECONDS, zone)
    minute, hour, *_ = cron.split()
    if minute.startswith("*") or hour.startswith("*"):
        yield from map(millis_of, CronSim(cron, start))
        return
    # CronSim would count several times of one gap as one. So it gets a clock that never changes.
    for moment in CronSim(cron, start.replace(tzinfo=None)):
        yield millis_of(_after_gap(moment.replace(tzinfo=zone)))


def _after_gap(moment: datetime) -> datetime:
    """Return a local time, or the end of the gap if the clock skips the time."""
    while moment.astimezone(UTC).astimezone(moment.tzinfo) != moment:
        moment += timedelta(minutes=1)
    return moment


def _millis_of(instant: Instant) -> int:
    return instant.millis
