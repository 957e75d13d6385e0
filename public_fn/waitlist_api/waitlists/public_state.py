"""What the public sees of a waitlist: whether it takes people, and how long they would wait."""

from waitlist_api.clock import iso
from waitlist_api.estimates.pace import PAUSED, Wait, wait_at
from waitlist_api.records.waitlists import WaitlistSettings, schedule_of
from waitlist_api.settings.schedule import next_instant
from waitlist_shared import contracts as c
from waitlist_shared.ranks import millis_of


def line_of(settings: WaitlistSettings, stats: c.StatsResult, now_millis: int) -> c.Line:
    """Return the state that a customer meets first."""
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
    """Return the time of the counts by Redis' clock, which decides on signups.

    An older private function does not return it: then that of the function.
    """
    return millis_of(stats.clock_stamp) if stats.clock_stamp else now_millis


def next_change(settings: WaitlistSettings, millis: int) -> int | None:
    """Return the first opening or closing after a time; None if there is none."""
    times = (settings.opens_millis, settings.closes_millis)
    return min((one for one in times if one is not None and one > millis), default=None)


def admits_at(settings: WaitlistSettings, now_millis: int) -> str | None:
    """Return the next time of the schedule; None without one."""
    following = next_instant(schedule_of(settings), now_millis)
    return iso(following.millis) if following else None


def wait_of_next(settings: WaitlistSettings, stats: c.StatsResult, now_millis: int) -> Wait:
    """Return the wait of a customer who joins now."""
    if line_of(settings, stats, now_millis) in ("closed", "not_open_yet"):
        return Wait(None, "closed")
    pace = PAUSED if settings.paused else stats.pace
    return wait_at(stats.waiting - stats.not_ready + 1, pace, now_millis)


def _is_reached(instant: int | None, millis: int) -> bool:
    return instant is not None and millis >= instant
