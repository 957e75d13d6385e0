"""Compute when an admission policy's offer hours begin and end each day."""

from collections import deque
from collections.abc import Iterator
from itertools import takewhile

from msgspec import Struct

from waitlist_api.settings.admission import OfferHours, Scheduled
from waitlist_api.settings.schedule import instants_after

# Offer hours end on the day they begin or on the next day.
LONGEST_MILLIS = 2 * 86_400_000


class Hours(Struct, frozen=True):
    """A period in which the policy makes offers, in milliseconds since 1970.

    The end is exclusive.
    """

    opens: int
    closes: int


def hours_after(hours: OfferHours, millis: int) -> Iterator[Hours]:
    """Yield the daily periods in which the policy makes offers, in order. The first period is the
    earliest one that ends after `millis`.

    When daylight saving time begins, some local times do not exist, and the first time after the
    gap is used instead. When daylight saving time ends, some local times occur twice, and the first
    occurrence is used.
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
    """Return whether the time is outside the offer hours."""
    return hours is not None and next(hours_after(hours, millis)).opens > millis


def last_closing(hours: OfferHours, millis: int) -> int:
    """Return when the offer hours last ended before the given time."""
    before = hours_after(hours, millis - LONGEST_MILLIS)
    return deque(takewhile(lambda period: period.closes <= millis, before), maxlen=1)[0].closes


def next_time_within(hours: OfferHours | None, millis: int) -> int:
    """Return the time if it is within the offer hours, or else the start of the next offer
    hours.
    """
    return millis if hours is None else max(millis, next(hours_after(hours, millis)).opens)


def _times(time: str, timezone: str | None, after_millis: int) -> Iterator[int]:
    hour, minute = time.split(":")
    daily = Scheduled(cron=f"{int(minute)} {int(hour)} * * *", timezone=timezone, count=0)
    return (instant.millis for instant in instants_after((daily,), after_millis))
