"""Calculate the instants of a schedule: when slots become due, and how many."""

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

# The largest change of a clock in the time zone database, except for changes of the date line.
LONGEST_CHANGE_SECONDS = 3 * 3600


class Instant(Struct, frozen=True):
    """A time of a schedule in milliseconds since 1970, and the number of slots that become due."""

    millis: int
    count: int


def instants_after(schedule: Sequence[Scheduled], millis: int) -> Iterator[Instant]:
    """Yield the instants after a given time, in order. A recurring row never ends.

    If several rows have the same time, their slots are added up in a single instant.

    Changes to and from daylight saving time are treated as in Debian's cron. A row whose minute or
    hour begins with `*` follows the clock. An hourly row, for example, has 23 times on the day that
    lacks an hour, and 25 times on the day that has an hour twice. In all other rows, each time
    counts exactly once. If the clock skips the time, it counts at the end of the gap. If the clock
    shows the time twice, it counts the first time.
    """
    times = merge(*(_instants_of(scheduled, millis) for scheduled in schedule), key=_millis_of)
    for at_millis, instants in groupby(times, _millis_of):
        yield Instant(at_millis, sum(instant.count for instant in instants))


def instants_between(
    schedule: Sequence[Scheduled], after_millis: int, until_millis: int
) -> list[Instant]:
    """Return the instants after one time and up to another, but at most MAX_INSTANTS."""
    found: list[Instant] = []
    for instant in islice(instants_after(schedule, after_millis), MAX_INSTANTS):
        if instant.millis > until_millis:
            break
        found.append(instant)
    return found


def next_instant(schedule: Sequence[Scheduled], millis: int) -> Instant | None:
    """Return the first instant after a given time, or None."""
    return next(instants_after(schedule, millis), None)


def check_cron(expression: str) -> None:
    """Raise ValueError if a cron expression is invalid, or never comes within 50 years."""
    try:
        next(CronSim(expression, datetime(2024, 1, 1, tzinfo=UTC)))
    except CronSimError as error:
        raise ValueError(f"is not a cron expression of five fields: {error}") from error
    except StopIteration as error:
        raise ValueError("is a date that never comes, such as 30 February") from error
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
    """Yield the times of a cron expression in milliseconds since 1970.

    The first times may be a few hours before `millis`.
    """
    # Directly after a change of the clock CronSim may skip a time, so begin before any change.
    start = datetime.fromtimestamp(millis / 1000 - LONGEST_CHANGE_SECONDS, zone)
    minute, hour, *_ = cron.split()
    if minute.startswith("*") or hour.startswith("*"):
        yield from map(millis_of, CronSim(cron, start))
        return
    # CronSim would merge several times that lie in the same gap. So it gets times without a time
    # zone, in which the clock never changes.
    for moment in CronSim(cron, start.replace(tzinfo=None)):
        yield millis_of(_after_gap(moment.replace(tzinfo=zone)))


def _after_gap(moment: datetime) -> datetime:
    """Return a local time, or the end of the gap if the clock skips this time."""
    while moment.astimezone(UTC).astimezone(moment.tzinfo) != moment:
        moment += timedelta(minutes=1)
    return moment


def _millis_of(instant: Instant) -> int:
    return instant.millis
