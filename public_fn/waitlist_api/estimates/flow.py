"""Compare each sample of a waitlist's counts with the next.

The differences show how many entries were served or left in between.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from waitlist_api.records.samples import Sample

# A waitlist counts as full when the number of people inside reaches this fraction of `max_inside`.
# A busy waitlist is often slightly below `max_inside`, because people are admitted only at the next
# poll after an exit.
NEARLY = 0.95


class Interval(Struct, frozen=True):
    """The changes between two successive samples of a waitlist's counts.

    All times are in seconds.
    """

    end: float
    seconds: float
    served: int
    left: int
    waiting: int
    # True if entries were ready and the waitlist was not paused. If the waitlist limits the number
    # of people inside, the limit must also have been reached.
    is_busy: bool

    @property
    def start(self) -> float:
        return self.end - self.seconds


def intervals_of(samples: Iterable[Sample], room: int | None = None) -> list[Interval]:
    """Return the changes between each sample and the next.

    `room` is the maximum number of people inside, or None if there is no maximum.
    """
    return [_between(before, after, room) for before, after in pairwise(samples)]


def _between(before: Sample, after: Sample, room: int | None) -> Interval:
    is_full = room is None or before.occupied >= NEARLY * room
    return Interval(
        end=after.millis / 1000,
        seconds=max(1.0, (after.millis - before.millis) / 1000),
        # `served` can be negative, because Redis can lose entries in a failover.
        served=_taken(after) - _taken(before),
        left=max(0, after.left - before.left),
        waiting=before.waiting,
        is_busy=is_full and before.ready > 0 and not before.paused and not after.paused,
    )


def _taken(sample: Sample) -> int:
    return sample.admitted + sample.offered + sample.parked


def rate_of(intervals: Sequence[Interval]) -> float:
    """Return how many entries were served per second during the busy intervals."""
    busy = [interval for interval in intervals if interval.is_busy]
    seconds = sum(interval.seconds for interval in busy)
    return max(0, sum(interval.served for interval in busy)) / seconds if seconds else 0.0


def leaving_of(intervals: Sequence[Interval]) -> float:
    """Return the fraction of waiting people who leave the waitlist per second."""
    exposure = sum(interval.waiting * interval.seconds for interval in intervals)
    return sum(interval.left for interval in intervals) / exposure if exposure else 0.0


# A dispersion measured from only a few intervals is unreliable. Add this many imaginary intervals
# with a dispersion of 1, so that the result stays near 1 until there are many real intervals.
PRIOR_INTERVALS = 4


def dispersion_of(intervals: Sequence[Interval]) -> float:
    """Return the dispersion of admissions: the variance of the number of served entries, divided by
    its mean.

    It is 0 if entries are served at a steady rate, and 1 if each is served independently of the
    others.
    """
    rate = rate_of(intervals)
    if rate <= 0:
        return 1.0
    total, pairs = 0.0, 0
    for first, second in pairwise([interval for interval in intervals if interval.is_busy]):
        # Intervals differ in length, so measure how far each interval's count is from the count
        # expected for its length.
        gap = (first.served - rate * first.seconds) - (second.served - rate * second.seconds)
        total += gap * gap / (rate * (first.seconds + second.seconds))
        pairs += 1
    return (total + PRIOR_INTERVALS) / (pairs + PRIOR_INTERVALS)
