"""Compute how many entries were served, left and waited between two successive samples."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import Struct

from waitlist_api.records.samples import Sample

# If at least this part of the room is taken, the room counts as full. A place that has just become
# free stays free until the next poll.
NEARLY = 0.95


class Interval(Struct, frozen=True):
    """The time between two samples. All times are in seconds.

    `served` is the number of entries that claims and offers took from the queue, minus the number
    of entries that came back. `is_busy` is true if ready people waited, the waitlist was not
    paused, and the room inside was full or not limited. Only a busy interval shows how fast the
    waitlist can serve people.
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
    """Return the intervals between successive samples.

    `room` is the number of people who may be inside at once, or None if it is not limited.
    """
    return [_between(before, after, room) for before, after in pairwise(samples)]


def _between(before: Sample, after: Sample, room: int | None) -> Interval:
    is_full = room is None or before.occupied >= NEARLY * room
    return Interval(
        end=after.millis / 1000,
        seconds=max(1.0, (after.millis - before.millis) / 1000),
        # The difference may be negative, because the counters may fall back by up to a minute when
        # Redis is lost.
        served=_taken(after) - _taken(before),
        left=max(0, after.left - before.left),
        waiting=before.waiting,
        is_busy=is_full and before.ready > 0 and not before.paused and not after.paused,
    )


def _taken(sample: Sample) -> int:
    return sample.admitted + sample.offered + sample.parked


def rate_of(intervals: Sequence[Interval]) -> float:
    """Return the number of entries that were served per second of busy time."""
    busy = [interval for interval in intervals if interval.is_busy]
    seconds = sum(interval.seconds for interval in busy)
    return max(0, sum(interval.served for interval in busy)) / seconds if seconds else 0.0


def leaving_of(intervals: Sequence[Interval]) -> float:
    """Return the fraction of the waiting people that left per second."""
    exposure = sum(interval.waiting * interval.seconds for interval in intervals)
    return sum(interval.left for interval in intervals) / exposure if exposure else 0.0


# The measured dispersion is averaged with this many imaginary intervals of dispersion 1. This keeps
# it near 1 while there are few samples.
PRIOR_INTERVALS = 4


def dispersion_of(intervals: Sequence[Interval]) -> float:
    """Return the variance of the number of served entries, per entry.

    The dispersion is 1 for independent single admissions, 0 for a steady rate, and B for bursts of
    B entries at random times. It is computed from the differences between neighbouring intervals,
    so that a single change of the rate hardly affects it.
    """
    rate = rate_of(intervals)
    if rate <= 0:
        return 1.0
    total, pairs = 0.0, 0
    for first, second in pairwise([interval for interval in intervals if interval.is_busy]):
        # Compare the deviations from the mean rate, because the intervals may differ in length.
        gap = (first.served - rate * first.seconds) - (second.served - rate * second.seconds)
        total += gap * gap / (rate * (first.seconds + second.seconds))
        pairs += 1
    return (total + PRIOR_INTERVALS) / (pairs + PRIOR_INTERVALS)
