"""The hours in which a policy offers: when they begin and end, day by day."""

from collections import deque
from collections.abc import Iterator
from itertools import takewhile

from msgspec import Struct

from waitlist_api.settings.admission import OfferHours, Scheduled
from waitlist_api.settings.schedule import instants_after

# No hours are longer: those of a day begin within it, and end within the next one.
LONGEST_MILLIS = 2 * 86_400_000


class Hours(Struct, frozen=True):
    """A time in which a policy offers, in milliseconds since 1970; it has closed at `closes`."""

    opens: int
    closes: int


def hours_after(hours: OfferHours, millis: int) -> Iterator[Hours]:
    """Yield the hours that end after a time, the earliest first, without end.

    A time that daylight saving skips is just after the gap, and one that it shows twice is one of
    them, as for a schedule. Hours that lie within the gap are left out.
    """
    openings = _times(hours.from_, hours.timezone, millis - LONGEST_MILLIS)
    closings = _times(hours.to, hours.timezone, millis - LONGEST_MILLIS)
    is_past_midnight = hours.to < hours.from_
    closes = next(closings)
    for opens in openings:
        while closes < opens or (is_past_midnight and closes == opens):
            closes = next(closings)
        if closes > max(opens, millis):
            yield Hours(opens, closes)


def is_closed(hours: OfferHours | None, millis: int) -> bool:
    """Return whether a time is outside the hours; never without hours."""
    return hours is not None and next(hours_after(hours, millis)).opens > millis


def last_closing(hours: OfferHours, millis: int) -> int:
    """Return when the hours before a time ended."""
    before = hours_after(hours, millis - LONGEST_MILLIS)
    return deque(takewhile(lambda one: one.closes <= millis, before), maxlen=1)[0].closes


def within(hours: OfferHours | None, millis: int) -> int:
    """Return a time if it is within the hours, otherwise the next opening."""
    return millis if hours is None else max(millis, next(hours_after(hours, millis)).opens)


def _times(time: str, timezone: str, after_millis: int) -> Iterator[int]:
    hour, minute = time.split(":")
    daily = Scheduled(cron=f"{int(minute)} {int(hour)} * * *", timezone=timezone, count=0)
    return (one.millis for one in instants_after((daily,), after_millis))
