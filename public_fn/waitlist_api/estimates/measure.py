"""Measure how fast a waitlist admits people, based on its samples."""

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
# A pace (how fast people are admitted) is measured only if there are at least LEAST_INTERVALS
# intervals, and at least LEAST_SERVED entries were served during them.
LEAST_SERVED = 5
LEAST_INTERVALS = 3
# A steady rate is measured over a window of the newest intervals. The window starts short and grows
# by the factor GROWTH, until the rate before it differs from the rate within it by more than
# CHANGED standard deviations.
GROWTH = 1.3
CHANGED = 3.0
# The smallest relative error of a measured pace. The future rate is never known exactly.
LEAST_ERROR = 0.05
# If the relative error of a measured pace is larger than this, the pace counts as unknown.
MOST_ERROR = 0.6
# Admissions count as bursts if two conditions are met: the fraction of intervals with admissions is
# at most MOST_ACTIVE, and the standard deviation of the gaps between these intervals is at most
# MOST_VARIATION times the mean gap.
MOST_ACTIVE = 0.4
MOST_VARIATION = 0.3
LEAST_BURSTS = 4
# A batch of admissions has ended after this many seconds without an admission.
SILENCE = DAY / 2
# The current batch has ended if the time since its last admission exceeds the average length of a
# batch, multiplied by this factor.
OVER = 2.0
# The waitlist counts as stopped if nobody has been served for OVERDUE times the usual gap between
# two admissions.
OVERDUE = 3.0
# Admissions on the last LEAST_DAYS to MOST_DAYS days are compared. If the correlation between one
# day and the next is at least RESEMBLANCE, the pace follows the time of day.
LEAST_DAYS = 2
MOST_DAYS = 7
RESEMBLANCE = 0.5
# Older hourly samples are used only to find batches. A rate from three weeks ago says little about
# the current pace.
RECENT_DAYS = 8


def measure_pace(
    minutes: Sequence[Sample], hours: Sequence[Sample], room: int | None = None
) -> Pace | None:
    """Return the measured pace, or None if there are not enough samples."""
    near = intervals_of(minutes, room)
    if not near:
        return None
    recent = hours[-1].millis - RECENT_DAYS * DAY * 1000 if hours else 0
    far = intervals_of([sample for sample in hours if sample.millis >= recent], room)
    known = _bursts(near) or _days(far, near)
    return known or _batches(intervals_of(hours, room)) or _steady(_merged(near, far))


def _merged(near: Sequence[Interval], far: Sequence[Interval]) -> list[Interval]:
    """Return the per-minute intervals, preceded by the earlier hourly intervals."""
    return [*(interval for interval in far if interval.end <= near[0].start), *near]


def steady_window(intervals: Sequence[Interval]) -> list[Interval]:
    """Return the newest busy intervals, back to the last change in the admission rate."""
    newest_first = [interval for interval in reversed(intervals) if interval.is_busy]
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
    """Return how many of the newest intervals are needed for a first estimate of the rate."""
    served = 0
    for number, interval in enumerate(newest_first, 1):
        served += interval.served
        if served >= 2 * LEAST_SERVED and number >= LEAST_INTERVALS:
            return number
    return len(newest_first)


def _differ(newer: Sequence[Interval], older: Sequence[Interval], dispersion: float) -> bool:
    new_seconds = sum(interval.seconds for interval in newer)
    old_seconds = sum(interval.seconds for interval in older)
    new, old = (
        sum(interval.served for interval in newer),
        sum(interval.served for interval in older),
    )
    common = max(1, new + old) / (new_seconds + old_seconds)
    deviation = math.sqrt(max(0.5, dispersion) * common * (1 / new_seconds + 1 / old_seconds))
    return abs(new / new_seconds - old / old_seconds) > CHANGED * deviation


def _steady(intervals: Sequence[Interval]) -> Pace | None:
    if _is_over(intervals):
        return None
    window = steady_window(intervals)
    served = sum(interval.served for interval in window)
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
    """Return whether nobody has been served for so long that admissions must have stopped."""
    busy = [interval for interval in intervals if interval.is_busy]
    before = len(busy)
    while before and busy[before - 1].served <= 0:
        before -= 1
    silent = sum(interval.seconds for interval in busy[before:])
    window = steady_window(busy[:before])
    ends = [interval.end for interval in window if interval.served > 0]
    longest = max((later - earlier for earlier, later in pairwise(ends)), default=silent)
    missing = rate_of(window) * silent
    return missing > CHANGED**2 and (
        silent > OVERDUE * longest or missing > CHANGED**2 * dispersion_of(window)
    )


def _bursts(intervals: Sequence[Interval]) -> Pace | None:
    """Return the pace of a waitlist that admits people in bursts at regular intervals.

    Return None if there are too few bursts, or if they are irregular.
    """
    active = [interval for interval in intervals if interval.served > 0]
    if len(active) < LEAST_BURSTS or len(active) > MOST_ACTIVE * len(intervals):
        return None
    gaps = [later.end - earlier.end for earlier, later in pairwise(active)]
    distance, spread = mean(gaps), pstdev(gaps)
    at, last = intervals[-1].end, active[-1]
    if spread > MOST_VARIATION * distance or at - last.end > OVERDUE * distance:
        return None
    sizes = [burst.served for burst in active if burst.is_busy]
    sizes = sizes or [burst.served for burst in active]
    size = mean(sizes)
    if size < 2:
        return None
    # The standard deviation of a few measured gaps is usually too small. This factor compensates
    # for that.
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
    """Return the pace of a waitlist that admits people in batches on different days, such as every
    Tuesday.

    Return None if admissions do not come in batches.
    """
    batches: list[Interval] = []
    for hour in hours:
        if hour.served <= 0:
            continue
        last = batches[-1] if batches else None
        if last is None or hour.start - last.end >= SILENCE:
            batches.append(hour)
        else:
            batches[-1] = replace(
                last,
                end=hour.end,
                seconds=hour.end - last.start,
                served=last.served + hour.served,
                is_busy=last.is_busy or hour.is_busy,
            )
    if not batches:
        return None
    length = mean(batch.seconds for batch in batches)
    if hours[-1].end - batches[-1].end < OVER * length:
        return None
    between = [hour for hour in hours if hour.served <= 0]
    return _bursts(sorted([*batches, *between], key=lambda interval: interval.end))


def _days(far: Sequence[Interval], near: Sequence[Interval]) -> Pace | None:
    """Return a pace that repeats every day, or None if admissions do not follow a daily pattern."""
    at = near[-1].end
    by_hour = _by_hour(far, at)
    days = min(MOST_DAYS, len(by_hour) // 24)
    if days < LEAST_DAYS:
        return None
    hours = by_hour[: days * 24]
    if _resemblance(hours) < RESEMBLANCE:
        return None
    # The list goes back in time: hours[0] is the last hour. Admissions are expected to repeat every
    # 24 hours, so the reversed totals are the forecast for the next 24 hours.
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
    """Return how many entries were served in each hour before `at`, newest hour first."""
    hours: list[float] = []
    for interval in reversed(intervals):
        # An interval can cover several hours. Spread its served entries evenly over them.
        first, last = (at - interval.end) / HOUR, (at - interval.start) / HOUR
        while len(hours) < math.ceil(last):
            hours.append(0.0)
        for hour in range(int(first), math.ceil(last)):
            part = min(last, hour + 1) - max(first, hour)
            hours[hour] += interval.served * part / (last - first)
    return hours


def _resemblance(hours: Sequence[float]) -> float:
    """Return the correlation between admissions in each hour and admissions 24 hours earlier."""
    blurred = [sum(hours[max(0, hour - 1) : hour + 2]) for hour in range(len(hours))]
    today, before = blurred[:-24], blurred[24:]
    a, b = mean(today), mean(before)
    covariance = sum((x - a) * (y - b) for x, y in zip(today, before, strict=True))
    variance = math.sqrt(sum((x - a) ** 2 for x in today) * sum((y - b) ** 2 for y in before))
    return covariance / variance if variance else 0.0
