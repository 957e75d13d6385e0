"""Compute a schedule's times and the number of offers that it allows at each time."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import groupby, islice
from zoneinfo import ZoneInfo

from cronsim import CronSim
from msgspec import Struct

from waitlist_api.clock import millis_of
from waitlist_api.settings.admission import Scheduled
from waitlist_shared.limits import MAX_INSTANTS

# A clock change moves local time by at most three hours, except when a country moves to the other
# side of the date line.
LONGEST_CHANGE_SECONDS = 3 * 3600


class Instant(Struct, frozen=True):
    """A scheduled time in milliseconds since 1970, and the number of offers that it allows."""

    millis: int
    count: int


def instants_after(schedule: Sequence[Scheduled], millis: int) -> Iterator[Instant]:
    """Yield the scheduled times after `millis`, in order.

    Times that a clock change skips or repeats are handled as in Debian's cron.
    """
    times = merge(*(_instants_of(scheduled, millis) for scheduled in schedule), key=_millis_of)
    for at_millis, instants in groupby(times, _millis_of):
        yield Instant(at_millis, sum(instant.count for instant in instants))


def instants_between(
    schedule: Sequence[Scheduled], after_millis: int, until_millis: int
) -> list[Instant]:
    """Return the scheduled times after `after_millis`, up to and including `until_millis`.

    At most MAX_INSTANTS times are returned.
    """
    found: list[Instant] = []
    for instant in islice(instants_after(schedule, after_millis), MAX_INSTANTS):
        if instant.millis > until_millis:
            break
        found.append(instant)
    return found


def next_instant(schedule: Sequence[Scheduled], millis: int) -> Instant | None:
    """Return the first scheduled time after `millis`, or None if there is no later time."""
    return next(instants_after(schedule, millis), None)


def _instants_of(scheduled: Scheduled, millis: int) -> Iterator[Instant]:
    if scheduled.at is not None:
        at_millis = millis_of(datetime.fromisoformat(scheduled.at))
        if at_millis > millis:
            yield Instant(at_millis, scheduled.count)
        return
    for at_millis in _times_of(scheduled.cron or "", ZoneInfo(scheduled.timezone or "UTC"), millis):
        if at_millis > millis:
            yield Instant(at_millis, scheduled.count)


def _times_of(cron: str, zone: ZoneInfo, millis: int) -> Iterator[int]:
    """Yield the times of a cron expression in milliseconds since 1970.

    They begin a few hours before `millis`, so the caller must skip those up to `millis`.
    """
    # CronSim can miss a time if its search begins directly after a clock change, so begin the
    # search a few hours earlier.
    start = datetime.fromtimestamp(millis / 1000 - LONGEST_CHANGE_SECONDS, zone)
    minute, hour, *_ = cron.split()
    if minute.startswith("*") or hour.startswith("*"):
        yield from map(millis_of, CronSim(cron, start))
        return
    # Let CronSim compute local times without a time zone, so that it returns every time that
    # matches. If a clock change skips a time, use the first time after the gap instead.
    for moment in CronSim(cron, start.replace(tzinfo=None)):
        yield millis_of(_after_gap(moment.replace(tzinfo=zone)))


def _after_gap(moment: datetime) -> datetime:
    """Return a local time, or the end of the gap if the clock skips this time."""
    while moment.astimezone(UTC).astimezone(moment.tzinfo) != moment:
        moment += timedelta(minutes=1)
    return moment


def _millis_of(instant: Instant) -> int:
    return instant.millis
