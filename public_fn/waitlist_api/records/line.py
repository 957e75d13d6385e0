"""Decide whether a waitlist is open, paused, full, not open yet or closed."""

from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_shared import contracts as c
from waitlist_shared.ranks import millis_of


def public_line(settings: WaitlistSettings, stats: c.StatsResult) -> c.Line:
    """Return whether the waitlist is open, paused, full, not open yet or closed.

    Redis' clock decides whether its opening or closing time has passed.
    """
    millis = millis_of(stats.clock_stamp)
    if not settings.open or _is_reached(settings.closes_millis, millis):
        return "closed"
    if settings.opens_millis is not None and millis < settings.opens_millis:
        return "not_open_yet"
    present = stats.waiting + stats.offered + stats.parked
    if settings.capacity is not None and present >= settings.capacity:
        return "full"
    return "paused" if settings.paused else "open"


def _is_reached(instant: int | None, millis: int) -> bool:
    return instant is not None and millis >= instant
