"""Compute how fast a waitlist admits people, based on its admission policy and samples."""

import math
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.estimates.flow import intervals_of, leaving_of
from waitlist_api.estimates.hours import open_seconds, spread
from waitlist_api.estimates.measure import measure_pace
from waitlist_api.estimates.pace import LONGEST_SECONDS, Pace, Piece
from waitlist_api.estimates.room import Stay, within_room
from waitlist_api.records.samples import Sample

# When the policy's rate allows another admission, the offer is made a little later, by the next
# poll or maintenance run. This is the delay's assumed standard deviation, in seconds.
TRIGGER_SECONDS = 1.0
# When a scheduled time has come, the offers are made a little later, by the next poll or
# maintenance run. This is the delay's assumed standard deviation, in seconds.
MAINTENANCE_SECONDS = 30.0
# If the measured rate is below this fraction of the policy's rate, something else slows admissions
# down, such as customers who do not accept their offers.
LIMITED = 0.9
# How many entries must have been served before the measured rate is compared with the policy's
# rate.
LEAST_SERVED = 30
# When the maximum number of people is inside, the admission rate is both measured and computed from
# the average time inside. The computed rate is used if the measured rate is far higher. CLEAR says
# how much higher, as a multiple of the relative error of the average time inside.
CLEAR = 2.0
# The most scheduled times that an estimate takes into account. For later times, it uses the
# schedule's mean rate.
MOST_INSTANTS = 24
# Until enough exits have been measured, the average time inside is assumed to be two thirds of the
# duration of a pass. The relative error of this assumption is 50%.
STAY, STAY_ERROR = 2 / 3, 0.5
# Some policies count customers as inside until their pass ends, even if they exit earlier. The time
# inside is then closer to the duration of the pass, so its assumed error is smaller.
WHOLE_PASS_ERROR = 0.25


class Policy(Struct, frozen=True, kw_only=True):
    """The parts of an admission policy that determine how fast people are admitted.

    All times are in seconds since 1970.
    """

    # How many people are admitted per second, starting at `rate_from`.
    rate: float | None = None
    rate_from: float = 0.0
    # Used if the policy has both a rate and a schedule. If true, people are admitted at the rate,
    # and additional people at the scheduled times. If false, people are admitted only at the
    # scheduled times, and no faster than the rate.
    is_sum: bool = False
    # The next scheduled times, and how many people are admitted at each. None if the policy has no
    # schedule.
    instants: Sequence[tuple[float, int]] | None = None
    max_inside: int | None = None
    pass_seconds: int = 3600
    offer_seconds: int = 0
    # True if a customer who exits early counts as inside until their pass ends.
    is_whole_pass: bool = False
    # The start and end times of the next offer hours. The list is empty if the policy can always
    # make offers.
    hours: Sequence[tuple[float, float]] = ()


def pace_of(
    minutes: Sequence[Sample], hours: Sequence[Sample], policy: Policy | None
) -> Pace | None:
    """Return how fast a waitlist admits people, or None if this is unknown."""
    if not minutes:
        return None
    if policy is None:
        return measure_pace(minutes, hours)
    # Ignore samples from before the last change to the settings, because people may have been
    # admitted faster or slower then.
    minutes, hours = _of_newest_version(minutes), _of_newest_version(hours)
    if not policy.hours:
        return _by_policy(policy, minutes, hours)
    at = minutes[-1].millis / 1000

    def to_open_time(second: float) -> float:
        return open_seconds(policy.hours, at, second)

    instants = policy.instants and [
        (to_open_time(second), count) for second, count in policy.instants
    ]
    always_open = replace(policy, rate_from=to_open_time(policy.rate_from), instants=instants)
    found = _by_policy(always_open, minutes, hours)
    return found and spread(found, policy.hours)


def _by_policy(policy: Policy, minutes: Sequence[Sample], hours: Sequence[Sample]) -> Pace | None:
    known = _stated_pace(policy, minutes)
    room = policy.max_inside
    if room is not None:
        stay, leaving = _stay(policy, minutes, hours), leaving_of(intervals_of(minutes))
        within = within_room(known, room, minutes[-1], stay, leaving)
        found = measure_pace(minutes, hours, room) if minutes[-1].occupied >= room else None
        # When a group of people exits together, many others are admitted at once, and the measured
        # rate is too high for a while. Use the computed rate then.
        clearly = 1 / (1 + CLEAR * stay.error)
        return within if found is None or _is_slower(within, found, clearly) else found
    if known is not None and policy.instants is None and room is None:
        return _choose_slower(known, measure_pace(minutes, hours), minutes)
    return known


def _of_newest_version(samples: Sequence[Sample]) -> list[Sample]:
    return [sample for sample in samples if sample.version == samples[-1].version]


def _stated_pace(policy: Policy, minutes: Sequence[Sample]) -> Pace | None:
    """Return how fast people are admitted according to the policy's rate and schedule.

    Return None if the policy has neither a rate nor a schedule.
    """
    at, leaving = round(minutes[-1].millis / 1000), leaving_of(intervals_of(minutes))
    if policy.instants is None:
        if policy.rate is None:
            return None
        return Pace(
            at=at,
            rate=policy.rate,
            leaving=leaving,
            jitter=TRIGGER_SECONDS,
            pieces=tuple(_rate_piece(policy.rate, policy.rate_from - at)),
        )
    instants = policy.instants[:MOST_INSTANTS]
    after = 0.0
    if len(instants) == MOST_INSTANTS:
        places = sum(count for _, count in instants[1:])
        after = places / (instants[-1][0] - instants[0][0])
        if policy.rate is not None and not policy.is_sum:
            after = min(after, policy.rate)
    if policy.rate is not None and policy.is_sum:
        after += policy.rate
        pieces = _sum_pieces(instants, policy.rate, policy.rate_from, at)
    else:
        pieces = _schedule_pieces(instants, policy.rate, policy.rate_from, at)
    return Pace(
        at=at,
        rate=after,
        leaving=leaving,
        jitter=MAINTENANCE_SECONDS,
        pieces=tuple(pieces),
    )


def _rate_piece(rate: float, start: float) -> Iterator[Piece]:
    """Yield an interval that begins at `start`, during which people are admitted at `rate`.

    Yield nothing if `start` is not in the future, because `Pace.rate` then describes these
    admissions.
    """
    if start > 0:
        yield Piece(start, start + LONGEST_SECONDS, rate * LONGEST_SECONDS)


def _sum_pieces(
    instants: Sequence[tuple[float, int]], rate: float, rate_from: float, at: int
) -> Iterator[Piece]:
    """Yield the future admissions of a policy that admits people both at a rate and at scheduled
    times. Each result is a time interval with a constant admission rate.
    """
    begin = max(0.0, rate_from - at)
    for second, count in instants:
        start = second - at
        if start > begin:
            yield Piece(begin, start, (start - begin) * rate)
            begin = start
        yield Piece(start, start, count)
    if not instants or begin > instants[-1][0] - at:
        yield from _rate_piece(rate, begin)


def _schedule_pieces(
    instants: Sequence[tuple[float, int]], rate: float | None, rate_from: float, at: int
) -> Iterator[Piece]:
    """Yield the future admissions of a schedule, as time intervals with a constant admission
    rate.
    """
    for number, (second, count) in enumerate(instants, 1):
        start = second - at
        if rate is None:
            yield Piece(max(0.0, start), max(0.0, start), count)
        else:
            end = instants[number][0] if number < len(instants) else math.inf
            start = max(start, rate_from - at)
            until = max(start, min(start + count / rate, end - at))
            yield Piece(start, until, (until - start) * rate)


def _stay(policy: Policy, minutes: Sequence[Sample], hours: Sequence[Sample]) -> Stay:
    """Return how long a customer is inside on average.

    If this cannot be measured yet, estimate it from the duration of a pass.
    """
    older = [sample for sample in hours if sample.millis < minutes[0].millis]
    found = Stay.measured([*older, *minutes], policy.pass_seconds + policy.offer_seconds)
    if found is not None:
        return found
    if policy.is_whole_pass:
        return Stay(policy.pass_seconds, WHOLE_PASS_ERROR)
    return Stay(STAY * policy.pass_seconds, STAY_ERROR)


def _choose_slower(known: Pace, found: Pace | None, minutes: Sequence[Sample]) -> Pace:
    """Return the measured pace if it is clearly slower than the policy's rate.

    Otherwise return the policy's pace.
    """
    served = sum(interval.served for interval in intervals_of(minutes) if interval.is_busy)
    if found is None or served < LEAST_SERVED or not _is_slower(found, known, LIMITED):
        return known
    return found


def _is_slower(pace: Pace, other: Pace, factor: float = 1.0) -> bool:
    return pace.mean_rate() < factor * other.mean_rate()
