"""What the public sees of a waitlist: whether it takes people, and how long they would wait."""

from waitlist_api.clock import iso
from waitlist_api.estimates.pace import PAUSED, Wait, wait_at
from waitlist_api.records.line import line_of
from waitlist_api.records.waitlists import WaitlistSettings, offer_hours_of, schedule_of
from waitlist_api.settings.hours import is_closed, last_closing, within
from waitlist_api.settings.schedule import next_instant
from waitlist_shared import contracts as c


def next_change(settings: WaitlistSettings, millis: int) -> int | None:
    """Return the first opening or closing after a time; None if there is none."""
    times = (settings.opens_millis, settings.closes_millis)
    return min((one for one in times if one is not None and one > millis), default=None)


def admits_at(settings: WaitlistSettings, now_millis: int) -> str | None:
    """Return the next time of the schedule, or the next hours if it is outside them.

    Outside its hours a list without a schedule, or with slots that have collected since they ended,
    admits when they begin. None if only the rest of the policy decides.
    """
    schedule, hours = schedule_of(settings), offer_hours_of(settings)
    since = now_millis
    if hours and is_closed(hours, now_millis):
        if not schedule:
            return iso(within(hours, now_millis))
        since = last_closing(hours, now_millis)
    following = next_instant(schedule, since)
    return iso(within(hours, max(following.millis, now_millis))) if following else None


def wait_of_next(settings: WaitlistSettings, stats: c.StatsResult, now_millis: int) -> Wait:
    """Return the wait of a customer who joins now."""
    if line_of(settings, stats, now_millis) in ("closed", "not_open_yet"):
        return Wait(None, "closed")
    pace = PAUSED if settings.paused else stats.pace
    return wait_at(stats.waiting - stats.not_ready + 1, pace, now_millis)
