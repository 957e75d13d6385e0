"""The pace of a list whose places inside fill up: known until it is full, then as people go out."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Self

from msgspec import Struct, field
from msgspec.structs import replace

from waitlist_api.estimates.pace import Pace, Piece
from waitlist_api.records.samples import Sample

# Fewer people who have gone out do not show how long the others stay.
LEAST_GONE = 5
LEAST_ERROR = 0.05
# The first to go out stay shorter than the others, and seem to stay longer: the error of that.
UNSEEN = 0.5


class Stay(Struct, frozen=True):
    """How many seconds a customer takes a place on average, and the relative error of that."""

    seconds: float
    error: float

    @classmethod
    def measured(cls, samples: Sequence[Sample], longest: int) -> Self | None:
        """Return the stay that samples show: the places taken, over those that became free.

        None if too few did. No customer stays longer than `longest`: the first to go out would seem
        to. People who came in together go out together, so the samples of two such times count.
        """
        since = samples[-1].millis - 2 * longest * 1000
        some = [one for one in samples if one.millis >= since]
        taken_seconds, gone = 0.0, 0
        for before, after in pairwise(some):
            seconds = (after.millis - before.millis) / 1000
            taken_seconds += (before.occupied + after.occupied) / 2 * seconds
            served = after.admitted + after.parked - before.admitted - before.parked
            # An offer that came back took its place, too, and served no one.
            gone += served - (after.inside - before.inside)
        if gone < LEAST_GONE or taken_seconds <= 0:
            return None
        # Those who came in since and are still inside have not shown how long they stay.
        unseen = max(0, some[-1].occupied - some[0].occupied)
        error = math.hypot(LEAST_ERROR, 1 / math.sqrt(gone), UNSEEN * unseen / (unseen + gone))
        return cls(min(taken_seconds / gone, float(longest)), error)


def within_room(known: Pace | None, room: int, newest: Sample, stay: Stay, leaving: float) -> Pace:
    """Return what of a known pace is left within `room` places; without one, all that is free.

    People go out at random: of those inside, one in `stay` seconds each. So the places that a rate
    opens are taken until as many go out as come in, or until the room is full.
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
        # Those who get a place that is free now; how long others stay does not matter to them.
        sure=max(0.0, float(room - newest.occupied)),
        pieces=tuple(filling.pieces),
    )


class _Filling(Struct):
    """How many places are taken at a moment; `late` are those of the schedule that had no room.

    `is_full` if the room was full at any time.
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
        """How many places become free in a second while the room is full."""
        return self.room / self.stay

    def wait_until(self, end: float) -> None:
        """Let people go out, and those of the schedule who are late come in."""
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
        """Open places at a rate until a moment, as far as there is room."""
        if self.late > 0 and end > self.at:
            until = min(end, self.at + self.late / self.outflow)
            self.late -= (until - self.at) * self.outflow
            # What is left after a rounding error is no place.
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
        """Open places at a rate until the room is full; return the rate after that."""
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
