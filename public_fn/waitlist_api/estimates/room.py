"""Compute how fast people are admitted if the number of people inside is limited.

Once the limit is reached, a customer is admitted whenever another exits.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Self

from msgspec import Struct, field
from msgspec.structs import replace

from waitlist_api.estimates.pace import Pace, Piece
from waitlist_api.records.samples import Sample

# How many people must have exited before the average time inside is measured.
LEAST_GONE = 5
LEAST_ERROR = 0.05
# The average time inside is measured only from people who have exited. People who are still inside
# may stay longer. UNSEEN says how much the fraction of people who are still inside adds to the
# relative error.
UNSEEN = 0.5


class Stay(Struct, frozen=True):
    """How many seconds a customer stays inside on average. `error` is the relative error."""

    seconds: float
    error: float

    @classmethod
    def measured(cls, samples: Sequence[Sample], longest: int) -> Self | None:
        """Measure the average time inside, or return None if too few people have exited."""
        since = samples[-1].millis - 2 * longest * 1000
        recent = [sample for sample in samples if sample.millis >= since]
        taken_seconds, gone = 0.0, 0
        for before, after in pairwise(recent):
            seconds = (after.millis - before.millis) / 1000
            taken_seconds += (before.occupied + after.occupied) / 2 * seconds
            served = after.admitted + after.parked - before.admitted - before.parked
            # Do not count people who did not accept their offer, although their offers took up room
            # for a while.
            gone += served - (after.inside - before.inside)
        if gone < LEAST_GONE or taken_seconds <= 0:
            return None
        # It is not known how long the people who are still inside will stay. The more people are
        # still inside, the larger the error of the average.
        unseen = max(0, recent[-1].occupied - recent[0].occupied)
        error = math.hypot(LEAST_ERROR, 1 / math.sqrt(gone), UNSEEN * unseen / (unseen + gone))
        return cls(min(taken_seconds / gone, float(longest)), error)


def within_room(known: Pace | None, room: int, newest: Sample, stay: Stay, leaving: float) -> Pace:
    """Return how fast people are admitted if the number of people inside is limited.

    `known` is the pace that the waitlist would have without this limit. If `known` is None, nothing
    but the limit slows admissions down.
    """
    filling = _Filling(room, stay.seconds, float(min(room, newest.occupied)))
    if known is None:
        filling.open_at_once(float(room))
        rate = filling.outflow
        base = Pace(at=round(newest.millis / 1000), leaving=leaving)
    else:
        for piece in known.pieces:
            filling.wait_until(piece.start)
            if piece.end > piece.start:
                filling.open_evenly(piece.end, piece.places / (piece.end - piece.start))
            else:
                filling.open_at_once(piece.places)
        rate = filling.open_for_good(known.rate)
        base = known
    if not filling.is_full:
        return base
    return replace(
        base,
        rate=rate,
        dispersion=1.0,
        error=stay.error,
        # This many people can be admitted now, without waiting for others to exit.
        sure=max(0.0, float(room - newest.occupied)),
        pieces=tuple(filling.pieces),
    )


class _Filling(Struct):
    """Simulates people who enter and exit while at most `room` people can be inside.

    `at` is the simulated time, and `taken` is the number of people who are inside then.
    """

    room: int
    stay: float
    taken: float
    at: float = 0.0
    late: float = 0.0
    is_full: bool = False
    pieces: list[Piece] = field(default_factory=list)

    @property
    def outflow(self) -> float:
        """The number of people who exit per second when the maximum number of people is inside."""
        return self.room / self.stay

    def wait_until(self, end: float) -> None:
        """Simulate the period until `end`, during which the policy allows no further admissions.

        People whom it has already allowed in may be waiting for room, and are admitted as others
        exit.
        """
        self.open_evenly(end, 0.0)

    def open_at_once(self, places: float) -> None:
        free = max(0.0, self.room - self.taken)
        now = min(places, free)
        self._open(self.at, now)
        self.taken += now
        if places >= free:
            self.is_full = True
            self.late += places - now

    def open_evenly(self, end: float, rate: float) -> None:
        """Simulate the period until `end`. People are admitted at `rate` while there is room."""
        if self.late > 0 and end > self.at:
            until = min(end, self.at + self.late / self.outflow)
            self.late -= (until - self.at) * self.outflow
            # A remainder this small is a rounding error, so it counts as zero.
            self.late = self.late if self.late > 1e-6 else 0.0
            self._open(until, (until - self.at) * self.outflow)
        if end <= self.at:
            return
        full_at = self.at + self._seconds_until_full(rate)
        until = min(end, full_at)
        level = rate * self.stay
        self.taken = level + (self.taken - level) * math.exp((self.at - until) / self.stay)
        self._open(until, rate * (until - self.at))
        if full_at <= end:
            self.taken = float(self.room)
            self.is_full = True
            self._open(end, (end - self.at) * self.outflow)

    def open_for_good(self, rate: float) -> float:
        """Simulate admissions at `rate` until the maximum number of people is inside.

        Return how many people can be admitted per second after that.
        """
        if self.late > 0:
            self.wait_until(self.at + self.late / self.outflow)
        seconds = self._seconds_until_full(rate)
        if math.isinf(seconds):
            return rate
        self._open(self.at + seconds, rate * seconds)
        self.is_full = True
        return self.outflow

    def _seconds_until_full(self, rate: float) -> float:
        level = rate * self.stay
        if level <= self.room:
            return math.inf
        return self.stay * math.log((level - self.taken) / (level - self.room))

    def _open(self, end: float, places: float) -> None:
        if places > 0:
            self.pieces.append(Piece(self.at, end, places))
        self.at = end
