"""What the public sees of a waitlist: whether it takes people, and how long they would wait."""

from waitlist_api.clock import iso
from waitlist_api.estimates.pace import PAUSED, Wait, wait_at
from waitlist_api.records.waitlists import WaitlistSettings, schedule_of
from waitlist_api.settings.schedule import next_instant
from waitlist_shared import contracts as c


def line_of(settings: WaitlistSettings, stats: c.StatsResult) -> c.Line:
    """Return the state that a customer meets first."""
    if not settings.open:
        return "closed"
    present = stats.waiting + stats.offered + stats.parked
    if settings.capacity is not None and present >= settings.capacity:
        return "full"
    return "paused" if settings.paused else "open"


def opens_at(settings: WaitlistSettings, now_millis: int) -> str | None:
    """Return the next time of the schedule; None without one."""
    following = next_instant(schedule_of(settings), now_millis)
    return iso(following.millis) if following else None


def wait_of_next(settings: WaitlistSettings, stats: c.StatsResult, now_millis: int) -> Wait:
    """Return the wait of a customer who joins now."""
    if not settings.open:
        return Wait(None, "closed")
    pace = PAUSED if settings.paused else stats.pace
    return wait_at(stats.waiting - stats.not_ready + 1, pace, now_millis)
