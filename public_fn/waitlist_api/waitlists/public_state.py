"""Compute a waitlist's public state, such as its opening times, its next admissions and the
estimated wait.
"""

from waitlist_api.clock import iso
from waitlist_api.estimates.pace import PAUSED, Wait, wait_at
from waitlist_api.records.line import public_line
from waitlist_api.settings.hours import is_closed, last_closing, next_time_within
from waitlist_api.settings.schedule import next_instant
from waitlist_api.settings.waitlist import (
    WaitlistSettings,
    is_over,
    offer_hours_of,
    schedule_of,
)
from waitlist_shared import contracts as c


def next_change(settings: WaitlistSettings, millis: int) -> int | None:
    """Return when the waitlist next opens or closes, or None."""
    times = (settings.opens_millis, settings.closes_millis)
    return min((time for time in times if time is not None and time > millis), default=None)


def next_admission_time(settings: WaitlistSettings, now_millis: int) -> str | None:
    """Return when the schedule and the offer hours next allow an admission.

    Return None if there is no such time, or if admissions are not restricted to certain times.
    """
    millis = _next_admission(settings, now_millis)
    return None if millis is None or is_over(settings, millis) else iso(millis)


def _next_admission(settings: WaitlistSettings, now_millis: int) -> int | None:
    schedule, hours = schedule_of(settings), offer_hours_of(settings)
    since = now_millis
    if hours and is_closed(hours, now_millis):
        if not schedule:
            return next_time_within(hours, now_millis)
        since = last_closing(hours, now_millis)
    following = next_instant(schedule, since)
    return next_time_within(hours, max(following.millis, now_millis)) if following else None


def estimate_next_wait(settings: WaitlistSettings, stats: c.StatsResult, now_millis: int) -> Wait:
    """Return the estimated wait for a customer who joins now."""
    if public_line(settings, stats) in ("closed", "not_open_yet"):
        return Wait(None, "closed")
    pace = PAUSED if settings.paused else stats.pace
    return wait_at(stats.waiting - stats.not_ready + 1, pace, now_millis)
