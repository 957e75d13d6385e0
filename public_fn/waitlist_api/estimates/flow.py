"""What happened between samples: how many were served, how many left, and while how many waited."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from waitlist_api.records.samples import Sample

# A place that has just become free is taken at the next poll.
NEARLY = 0.95


class Interval(Struct, frozen=True):
    """The time between two samples; `end` and `seconds` are in seconds.

    `served` counts the entries that a claim or an offer took out of the queue, less those that came
    back. `is_busy` if people waited who were ready, the list was not paused, and as many people as
    allowed were inside: only such time shows how fast the list can serve.
    """

    end: float
    seconds: float
    served: int
    left: int
    waiting: int
    is_busy: bool

    @property
    def start(self) -> float:
        return self.end - self.seconds


def intervals_of(samples: Iterable[Sample], room: int | None = None) -> list[Interval]:
    """Return the intervals between samples in order of time.

    `room` is how many people may be inside at once, None for any number.
    """
    return [_between(before, after, room) for before, after in pairwise(samples)]


def _between(before: Sample, after: Sample, room: int | None) -> Interval:
    is_full = room is None or before.occupied >= NEARLY * room
    return Interval(
        end=after.millis / 1000,
        seconds=max(1.0, (after.millis - before.millis) / 1000),
        # After a loss of Redis the counters may be up to a minute behind.
        served=_taken(after) - _taken(before),
        left=max(0, after.left - before.left),
        waiting=before.waiting,
        is_busy=is_full and before.ready > 0 and not before.paused and not after.paused,
    )


def _taken(sample: Sample) -> int:
    return sample.admitted + sample.offered + sample.parked


def rate_of(intervals: Sequence[Interval]) -> float:
    """Return how many were served a second of busy time."""
    busy = [one for one in intervals if one.is_busy]
    seconds = sum(one.seconds for one in busy)
    return max(0, sum(one.served for one in busy)) / seconds if seconds else 0.0


def leaving_of(intervals: Sequence[Interval]) -> float:
    """Return which part of the waiting people left in a second."""
    exposure = sum(one.waiting * one.seconds for one in intervals)
    return sum(one.left for one in intervals) / exposure if exposure else 0.0


# As if so many intervals with the dispersion of independent single admissions had been seen, too.
PRIOR_INTERVALS = 4


def dispersion_of(intervals: Sequence[Interval]) -> float:
    """Return the variance of served entries per entry, by the differences of neighbours.

    1 for independent single admissions, 0 for a steady rate, B for bursts of B at random. A rate
    that changes once hardly changes it.
    """
    rate = rate_of(intervals)
    if rate <= 0:
        return 1.0
    total, pairs = 0.0, 0
    for one, other in pairwise([one for one in intervals if one.is_busy]):
        # Each is what it deviates from the mean rate by, so that lengths may differ.
        gap = (one.served - rate * one.seconds) - (other.served - rate * other.seconds)
        total += gap * gap / (rate * (one.seconds + other.seconds))
        pairs += 1
    return (total + PRIOR_INTERVALS) / (pairs + PRIOR_INTERVALS)
