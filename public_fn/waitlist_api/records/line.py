"""Decide whether a waitlist is open, paused, full, not open yet or closed."""

from waitlist_api.records.waitlists import WaitlistSettings
from waitlist_shared import contracts as c
from waitlist_shared.ranks import millis_of


def public_line(settings: WaitlistSettings, stats: c.StatsResult, now_millis: int) -> c.Line:
    """Return the public state of the waitlist: whether it accepts and admits customers."""
    millis = redis_millis(stats, now_millis)
    if not settings.open or _is_reached(settings.closes_millis, millis):
        return "closed"
    if settings.opens_millis is not None and millis < settings.opens_millis:
        return "not_open_yet"
    present = stats.waiting + stats.offered + stats.parked
    if settings.capacity is not None and present >= settings.capacity:
        return "full"
    return "paused" if settings.paused else "open"


def redis_millis(stats: c.StatsResult, now_millis: int) -> int:
    """Return the time at which Redis read the counts, by the clock of Redis.

    Redis uses its own clock to check whether a waitlist is open. Older versions of the private
    function do not return the time. In that case, return `now_millis`.
    """
    return millis_of(stats.clock_stamp) if stats.clock_stamp else now_millis


def _is_reached(instant: int | None, millis: int) -> bool:
    return instant is not None and millis >= instant
