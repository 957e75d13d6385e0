"""The instants of a schedule: when places become due, and how many."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from msgspec import Struct

from waitlist_api.clock import millis_of
from waitlist_api.settings.admission import Scheduled
from waitlist_shared.limits import MAX_INSTANTS


class Instant(Struct, frozen=True, order=True):
    """One time of a schedule, in milliseconds since 1970, and the places that become due at it."""

    millis: int
    count: int


def instants_after(schedule: Sequence[Scheduled], millis: int) -> Iterator[Instant]:
    """Yield the instants later than a time, the earliest first, without end if one is recurring.

    In a zone with daylight saving a time that the clock skips counts just after the gap, and one
    that it shows twice counts once, as in Debian's cron.
    """
    return merge(*(_instants_of(one, millis) for one in schedule))


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
    start = datetime.fromtimestamp(millis / 1000, ZoneInfo(scheduled.timezone))
    for moment in CronSim(scheduled.cron or "", start):
        yield Instant(millis_of(moment), scheduled.count)
