"""The pace of a list by its policy; a rate and a schedule are known, people inside are measured."""

import math
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from waitlist_api.estimates.flow import intervals_of, leaving_of
from waitlist_api.estimates.hours import open_seconds, spread
from waitlist_api.estimates.measure import measured
from waitlist_api.estimates.pace import LONGEST_SECONDS, Pace, Piece
from waitlist_api.estimates.room import Stay, within_room
from waitlist_api.records.samples import Sample

# A rate is exact; only the moments of a poll and of the next trigger blur it.
TRIGGER_SECONDS = 1.0
# A schedule's places open at the next poll, or at the next run of maintenance.
MAINTENANCE_SECONDS = 30.0
# The part of a policy's rate below which something else must limit the list: offers that come back.
LIMITED = 0.9
LEAST_SERVED = 30
# A list is slower than it seems if it is by so many errors of the time that people stay.
CLEAR = 2.0
# So many instants of a schedule are followed one by one, later ones by their mean rate.
MOST_INSTANTS = 24
# Until exits are measured: people stay for two thirds of their pass, give or take as much.
STAY, STAY_ERROR = 2 / 3, 0.5
# Where a customer's exit frees no room, most stay for the whole pass.
WHOLE_PASS_ERROR = 0.25


class Policy(Struct, frozen=True, kw_only=True):
    """What of an admission policy decides the pace; `rate` is in places a second, from a second on.

    With `is_sum` the places of the instants open beside those of the rate, otherwise at the rate.

    `instants` are the next ones of a schedule, each with its second and the places that open then;
    None without a schedule. At most MOST_INSTANTS; a shorter list is complete. With
    `is_whole_pass` a customer's exit frees no room before the pass ends. `hours` are the present or
    next times in which it offers, each with the second at which it begins and ends; empty if it
    offers at any time.
    """

    rate: float | None = None
    rate_from: float = 0.0
    is_sum: bool = False
    instants: Sequence[tuple[float, int]] | None = None
    max_inside: int | None = None
    pass_seconds: int = 3600
    offer_seconds: int = 0
    is_whole_pass: bool = False
    hours: Sequence[tuple[float, float]] = ()


def pace_of(
    minutes: Sequence[Sample], hours: Sequence[Sample], policy: Policy | None
) -> Pace | None:
    """Return the pace of a list, or None if neither its policy nor its samples show one.

    `minutes` are the samples of the last hours, `hours` those of the last weeks, in order of time,
    and end at the same moment.
    """
    if not minutes:
        return None
    if policy is None:
        return measured(minutes, hours)
    # Another policy, another pace: earlier samples describe the one before.
    minutes, hours = _of_version(minutes), _of_version(hours)
    if not policy.hours:
        return _by_policy(policy, minutes, hours)
    at = minutes[-1].millis / 1000

    def moved(second: float) -> float:
        return open_seconds(policy.hours, at, second)

    some = policy.instants and [(moved(second), count) for second, count in policy.instants]
    within = replace(policy, rate_from=moved(policy.rate_from), instants=some)
    found = _by_policy(within, minutes, hours)
    return found and spread(found, policy.hours)


def _by_policy(policy: Policy, minutes: Sequence[Sample], hours: Sequence[Sample]) -> Pace | None:
    known = _known(policy, minutes)
    room = policy.max_inside
    if room is not None:
        stay, leaving = _stay(policy, minutes, hours), leaving_of(intervals_of(minutes))
        within = within_room(known, room, minutes[-1], stay, leaving)
        found = measured(minutes, hours, room) if minutes[-1].occupied >= room else None
        # People who came in together go out together: a while of that is no pace.
        clearly = 1 / (1 + CLEAR * stay.error)
        return within if found is None or _is_slower(within, found, clearly) else found
    if known is not None and policy.instants is None and room is None:
        return _limited(known, measured(minutes, hours), minutes)
    return known


def _of_version(samples: Sequence[Sample]) -> list[Sample]:
    return [one for one in samples if one.version == samples[-1].version]


def _known(policy: Policy, minutes: Sequence[Sample]) -> Pace | None:
    """Return the pace by rate and schedule alone; None if the policy has neither."""
    at, leaving = round(minutes[-1].millis / 1000), leaving_of(intervals_of(minutes))
    if policy.instants is None:
        if policy.rate is None:
            return None
        return Pace(
            at=at,
            rate=policy.rate,
            leaving=leaving,
            jitter=TRIGGER_SECONDS,
            pieces=tuple(_after_beginning(policy.rate, policy.rate_from - at)),
        )
    some = policy.instants[:MOST_INSTANTS]
    after = 0.0
    if len(some) == MOST_INSTANTS:
        places = sum(count for _, count in some[1:])
        after = places / (some[-1][0] - some[0][0])
        if policy.rate is not None and not policy.is_sum:
            after = min(after, policy.rate)
    if policy.rate is not None and policy.is_sum:
        after += policy.rate
        pieces = _beside(some, policy.rate, policy.rate_from, at)
    else:
        pieces = _pieces(some, policy.rate, policy.rate_from, at)
    return Pace(
        at=at,
        rate=after,
        leaving=leaving,
        jitter=MAINTENANCE_SECONDS,
        pieces=tuple(pieces),
    )


def _after_beginning(rate: float, start: float) -> Iterator[Piece]:
    """Yield what opens at a rate that begins later; nothing if it has begun."""
    if start > 0:
        yield Piece(start, start + LONGEST_SECONDS, rate * LONGEST_SECONDS)


def _beside(
    instants: Sequence[tuple[float, int]], rate: float, rate_from: float, at: int
) -> Iterator[Piece]:
    """Yield the places of a rate up to each instant, and those of the instant at once."""
    begin = max(0.0, rate_from - at)
    for second, count in instants:
        start = second - at
        if start > begin:
            yield Piece(begin, start, (start - begin) * rate)
            begin = start
        yield Piece(start, start, count)
    if not instants or begin > instants[-1][0] - at:
        yield from _after_beginning(rate, begin)


def _pieces(
    instants: Sequence[tuple[float, int]], rate: float | None, rate_from: float, at: int
) -> Iterator[Piece]:
    """Yield when scheduled places open; a rate spreads them, and the next instant ends them.

    With a rate the first instant may be past, and the rest of its places is still to open.
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
    """Return how long a customer takes a place, by those who have gone out, or by the passes."""
    older = [one for one in hours if one.millis < minutes[0].millis]
    found = Stay.measured([*older, *minutes], policy.pass_seconds + policy.offer_seconds)
    if found is not None:
        return found
    if policy.is_whole_pass:
        return Stay(policy.pass_seconds, WHOLE_PASS_ERROR)
    return Stay(STAY * policy.pass_seconds, STAY_ERROR)


def _limited(known: Pace, found: Pace | None, minutes: Sequence[Sample]) -> Pace:
    """Return what was measured where that is clearly slower than the policy's rate.

    Offers that customers do not accept use up the rate, and the queue does not move.
    """
    served = sum(one.served for one in intervals_of(minutes) if one.is_busy)
    if found is None or served < LEAST_SERVED or not _is_slower(found, known, LIMITED):
        return known
    return found


def _is_slower(one: Pace, other: Pace, factor: float = 1.0) -> bool:
    return one.mean_rate() < factor * other.mean_rate()
