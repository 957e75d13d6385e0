"""Calculate when the offer hours of an admission policy begin and end on each day."""

from collections import deque
from collections.abc import Iterator
from itertools import takewhile

from msgspec import Struct

from waitlist_api.settings.admission import OfferHours, Scheduled
from waitlist_api.settings.schedule import instants_after

# The offer hours begin on one day and end on the same or the next day, so they are never longer.
LONGEST_MILLIS = 2 * 86_400_000


class Hours(Struct, frozen=True):
    """A period in which a policy makes offers, in milliseconds since 1970.

    The time `closes` itself does not belong to the period.
    """

    opens: int
    closes: int


def hours_after(hours: OfferHours, millis: int) -> Iterator[Hours]:
    """Yield the offer hours of each day that end after a given time, in order and without end.

    Changes of the clock are treated as in a schedule. A time that the clock skips becomes the end
    of the gap, and a time that the clock shows twice counts only once. Hours that lie completely
    within the gap are left out.
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
    """Return whether a time is outside the offer hours. If there are none, it never is."""
    return hours is not None and next(hours_after(hours, millis)).opens > millis


def last_closing(hours: OfferHours, millis: int) -> int:
    """Return the end of the last offer hours that ended at or before a given time."""
    before = hours_after(hours, millis - LONGEST_MILLIS)
    return deque(takewhile(lambda period: period.closes <= millis, before), maxlen=1)[0].closes


def next_time_within(hours: OfferHours | None, millis: int) -> int:
    """Return the given time if it is within the offer hours, and otherwise their next beginning."""
    return millis if hours is None else max(millis, next(hours_after(hours, millis)).opens)


def _times(time: str, timezone: str, after_millis: int) -> Iterator[int]:
    hour, minute = time.split(":")
    daily = Scheduled(cron=f"{int(minute)} {int(hour)} * * *", timezone=timezone, count=0)
    return (instant.millis for instant in instants_after((daily,), after_millis))
