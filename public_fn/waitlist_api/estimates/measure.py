"""The pace of a list as its samples show it: steady, in bursts, or with the hours of the day."""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import mean, pstdev

from msgspec.structs import replace

from waitlist_api.estimates.flow import (
    Interval,
    dispersion_of,
    intervals_of,
    leaving_of,
    rate_of,
)
from waitlist_api.estimates.pace import Pace, Piece
from waitlist_api.records.samples import Sample

MINUTE, HOUR, DAY = 60, 3600, 86_400
# Fewer admissions say nothing about the next ones.
LEAST_SERVED = 5
LEAST_INTERVALS = 3
# A window grows by this factor, until what is older differs by so many standard deviations.
GROWTH = 1.3
CHANGED = 3.0
# The rate of the future is never known better than this.
LEAST_ERROR = 0.05
# A pace of which no more is known than this relative error says nothing.
MOST_ERROR = 0.6
# Bursts: at most this part of the intervals is active, and the gaps between bursts vary by at most
# this part of their mean.
MOST_ACTIVE = 0.4
MOST_VARIATION = 0.3
LEAST_BURSTS = 4
# Batches by the hours of weeks: so much time without an admission ends one.
SILENCE = DAY / 2
# The last batch is over after silence of so many times the length of a batch.
OVER = 2.0
# Silence for longer than so many of the usual gaps: the service has stopped.
OVERDUE = 3.0
# The hours of the day show from two days on, if a day resembles the one before.
LEAST_DAYS = 2
MOST_DAYS = 7
RESEMBLANCE = 0.5
# Hours from before are of batches alone: a rate of three weeks ago is no pace.
RECENT_DAYS = 8


def measured(
    minutes: Sequence[Sample], hours: Sequence[Sample], room: int | None = None
) -> Pace | None:
    """Return the pace that samples show, or None if they show none; `room` as for intervals."""
    near = intervals_of(minutes, room)
    if not near:
        return None
    recent = hours[-1].millis - RECENT_DAYS * DAY * 1000 if hours else 0
    far = intervals_of([one for one in hours if one.millis >= recent], room)
    known = _bursts(near) or _days(far, near)
    return known or _batches(intervals_of(hours, room)) or _steady(_merged(near, far))


def _merged(near: Sequence[Interval], far: Sequence[Interval]) -> list[Interval]:
    """Return the minutes, and the hours before the first of them."""
    return [*(one for one in far if one.end <= near[0].start), *near]


def steady_window(intervals: Sequence[Interval]) -> list[Interval]:
    """Return the newest intervals since the rate has last changed."""
    newest_first = [one for one in reversed(intervals) if one.is_busy]
    dispersion = dispersion_of(newest_first[:180])
    size = _first_size(newest_first)
    window = newest_first[:size]
    while size < len(newest_first):
        grown = min(len(newest_first), max(size + 1, math.ceil(size * GROWTH)))
        older = newest_first[size:grown]
        if _differ(window, older, dispersion):
            break
        window, size = newest_first[:grown], grown
    return window[::-1]


def _first_size(newest_first: Sequence[Interval]) -> int:
    """Return how many intervals have enough admissions for a first rate."""
    served = 0
    for number, one in enumerate(newest_first, 1):
        served += one.served
        if served >= 2 * LEAST_SERVED and number >= LEAST_INTERVALS:
            return number
    return len(newest_first)


def _differ(newer: Sequence[Interval], older: Sequence[Interval], dispersion: float) -> bool:
    new_seconds = sum(one.seconds for one in newer)
    old_seconds = sum(one.seconds for one in older)
    new, old = sum(one.served for one in newer), sum(one.served for one in older)
    common = max(1, new + old) / (new_seconds + old_seconds)
    deviation = math.sqrt(max(0.5, dispersion) * common * (1 / new_seconds + 1 / old_seconds))
    return abs(new / new_seconds - old / old_seconds) > CHANGED * deviation


def _steady(intervals: Sequence[Interval]) -> Pace | None:
    if _is_over(intervals):
        return None
    window = steady_window(intervals)
    served = sum(one.served for one in window)
    if served < LEAST_SERVED or len(window) < LEAST_INTERVALS:
        return None
    dispersion = dispersion_of(window)
    error = math.hypot(LEAST_ERROR, math.sqrt(dispersion / served))
    if error > MOST_ERROR:
        return None
    return Pace(
        at=round(intervals[-1].end),
        rate=rate_of(window),
        leaving=leaving_of(intervals),
        dispersion=dispersion,
        error=error,
    )


def _is_over(intervals: Sequence[Interval]) -> bool:
    """Return whether the list has served no one for longer than its rate allows."""
    busy = [one for one in intervals if one.is_busy]
    before = len(busy)
    while before and busy[before - 1].served <= 0:
        before -= 1
    silent = sum(one.seconds for one in busy[before:])
    window = steady_window(busy[:before])
    ends = [one.end for one in window if one.served > 0]
    longest = max((two - one for one, two in pairwise(ends)), default=silent)
    missing = rate_of(window) * silent
    return missing > CHANGED**2 and (
        silent > OVERDUE * longest or missing > CHANGED**2 * dispersion_of(window)
    )


def _bursts(intervals: Sequence[Interval]) -> Pace | None:
    """Return the pace of bursts at a regular distance, or None if there are none."""
    active = [one for one in intervals if one.served > 0]
    if len(active) < LEAST_BURSTS or len(active) > MOST_ACTIVE * len(intervals):
        return None
    gaps = [two.end - one.end for one, two in pairwise(active)]
    distance, spread = mean(gaps), pstdev(gaps)
    at, last = intervals[-1].end, active[-1]
    if spread > MOST_VARIATION * distance or at - last.end > OVERDUE * distance:
        return None
    sizes = [one.served for one in active if one.is_busy] or [one.served for one in active]
    size = mean(sizes)
    if size < 2:
        return None
    # A few gaps show less than the whole spread.
    unknown = (len(gaps) + 1) / (len(gaps) - 1)
    due = max(0.0, last.end - last.seconds / 2 + distance - at)
    return Pace(
        at=round(at),
        leaving=leaving_of(intervals),
        dispersion=pstdev(sizes) ** 2 / size,
        error=math.hypot(LEAST_ERROR, spread / distance / math.sqrt(len(gaps))),
        jitter=math.hypot(spread * unknown, last.seconds / 4),
        cycle=distance,
        pieces=(Piece(due, due, size),),
    )


def _batches(hours: Sequence[Interval]) -> Pace | None:
    """Return the pace of batches that are days apart, such as each Tuesday's, or None.

    None also while the last one may be under way: then its own rate is that of the next people.
    """
    batches: list[Interval] = []
    for one in hours:
        if one.served <= 0:
            continue
        last = batches[-1] if batches else None
        if last is None or one.start - last.end >= SILENCE:
            batches.append(one)
        else:
            batches[-1] = replace(
                last,
                end=one.end,
                seconds=one.end - last.start,
                served=last.served + one.served,
                is_busy=last.is_busy or one.is_busy,
            )
    if not batches:
        return None
    length = mean(one.seconds for one in batches)
    if hours[-1].end - batches[-1].end < OVER * length:
        return None
    between = [one for one in hours if one.served <= 0]
    return _bursts(sorted([*batches, *between], key=lambda one: one.end))


def _days(far: Sequence[Interval], near: Sequence[Interval]) -> Pace | None:
    """Return the pace of a list whose hours of the day differ, or None if they do not."""
    at = near[-1].end
    by_hour = _by_hour(far, at)
    days = min(MOST_DAYS, len(by_hour) // 24)
    if days < LEAST_DAYS:
        return None
    hours = by_hour[: days * 24]
    if _resemblance(hours) < RESEMBLANCE:
        return None
    # hours[0] ended now: what it was a day ago comes in the last hour of the next day.
    totals = [sum(hours[hour::24]) for hour in range(24)]
    profile = [max(0.0, total / days) for total in reversed(totals)]
    daily = [sum(hours[day * 24 : day * 24 + 24]) for day in range(days)]
    if sum(daily) < LEAST_SERVED:
        return None
    pieces = tuple(
        Piece(hour * HOUR, (hour + 1) * HOUR, places)
        for hour, places in enumerate(profile)
        if places > 0.01 * sum(profile)
    )
    average = mean(daily)
    return Pace(
        at=round(at),
        leaving=leaving_of(far),
        dispersion=pstdev(daily) ** 2 / average,
        error=LEAST_ERROR,
        jitter=HOUR / 2,
        cycle=DAY,
        pieces=pieces,
    )


def _by_hour(intervals: Sequence[Interval], at: float) -> list[float]:
    """Return how many were served in each hour before a moment, the newest first."""
    hours: list[float] = []
    for one in reversed(intervals):
        # An interval's entries are spread evenly over its hours.
        first, last = (at - one.end) / HOUR, (at - one.start) / HOUR
        while len(hours) < math.ceil(last):
            hours.append(0.0)
        for hour in range(int(first), math.ceil(last)):
            part = min(last, hour + 1) - max(first, hour)
            hours[hour] += one.served * part / (last - first)
    return hours


def _resemblance(hours: Sequence[float]) -> float:
    """Return the correlation of hours with those a day before; 0 if all are alike.

    Three hours each, because a daily batch at 9:00 comes before the hour on one day, after it on
    the next.
    """
    blurred = [sum(hours[max(0, one - 1) : one + 2]) for one in range(len(hours))]
    today, before = blurred[:-24], blurred[24:]
    a, b = mean(today), mean(before)
    covariance = sum((x - a) * (y - b) for x, y in zip(today, before, strict=True))
    variance = math.sqrt(sum((x - a) ** 2 for x in today) * sum((y - b) ** 2 for y in before))
    return covariance / variance if variance else 0.0
