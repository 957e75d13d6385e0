"""The pace of a list: how many places open when, in a few numbers; an estimate is made of it.

Maintenance writes the pace into the list's hash in Redis. A poll reads it with the position, and
computes its estimate without a further call.
"""

import math
from collections.abc import Iterator
from typing import Literal, Self

from msgspec import Struct, field

Unavailable = Literal["paused", "unknown", "closed"]

# Of a normal distribution, 87% lies within so many standard deviations: some reserve, because real
# lists are less regular than any model.
DEVIATIONS = 1.5
# Admissions are seen at whole minutes, and places are whole.
HALF_A_PLACE = 0.5
# A cycle is followed this often, then its mean rate: a poll's work stays bounded.
MOST_CYCLES = 60
# Later is no estimate that helps a customer.
LONGEST_SECONDS = 366 * 24 * 3600
# Maintenance writes a pace each minute. An older one describes another time.
STALE_SECONDS = 3600
# Fewer places never make a whole one.
FEWEST = 1e-9
UNKNOWN, PAUSED = "unknown", "paused"
FORMAT = "2"


class Estimate(Struct, frozen=True):
    """Seconds until the customer's turn; the truth lies within low and high in 4 of 5 cases."""

    seconds: int
    low: int
    high: int


class Piece(Struct, frozen=True):
    """`places` that open evenly between two moments, in seconds after the pace's; or at once."""

    start: float
    end: float
    places: float


class Pace(Struct, frozen=True, kw_only=True):
    """How a queue moves after the second `at`.

    The `pieces` come first, in order of time. With a `cycle` they repeat every so many seconds;
    otherwise `rate` places a second open after them. `leaving` is the part of the people ahead
    that leaves in a second. The spread of an estimate comes from `dispersion` (the variance of the
    places that open, per place), `error` (the relative error of the whole pace) and `jitter` (the
    standard deviation of the pieces' times, in seconds). The first `sure` places open as the pieces
    have them: dispersion and error begin behind them.
    """

    at: int
    rate: float = 0.0
    leaving: float = 0.0
    dispersion: float = 0.0
    error: float = 0.0
    jitter: float = 0.0
    cycle: float = 0.0
    sure: float = 0.0
    pieces: tuple[Piece, ...] = field(default=())

    def encode(self) -> str:
        """Return the pace as text for Redis: numbers, a space between two."""
        numbers = (
            *(self.rate, self.leaving, self.dispersion, self.error, self.jitter),
            *(self.cycle, self.sure),
        )
        pieces = [f"{_short(p.start)}:{_short(p.end)}:{_short(p.places)}" for p in self.pieces]
        return " ".join([FORMAT, str(self.at), *map(_short, numbers), *pieces])

    @classmethod
    def decode(cls, text: str) -> Self | None:
        """Return the pace of a text; None for `unknown`, or the format of another version."""
        words = text.split(" ")
        if words[0] != FORMAT:
            return None
        rate, leaving, dispersion, error, jitter, cycle, sure = map(float, words[2:9])
        return cls(
            at=int(words[1]),
            rate=rate,
            leaving=leaving,
            dispersion=dispersion,
            error=error,
            jitter=jitter,
            cycle=cycle,
            sure=sure,
            pieces=tuple(Piece(*map(float, word.split(":"))) for word in words[9:]),
        )

    def estimate(self, position: int, now: float) -> Estimate | None:
        """Return the wait of the entry at a position, at a time in seconds; None if unknown."""
        since = max(0.0, now - self.at)
        if since > STALE_SECONDS:
            return None
        middle, left = self._wait(position, since)
        if middle is None or middle > LONGEST_SECONDS:
            return None
        unsure = max(0.0, position - self.sure)
        opened = min(unsure, position - left)
        variance = self.dispersion * opened + left + (self.error * unsure) ** 2
        places = HALF_A_PLACE + DEVIATIONS * math.sqrt(variance)
        low = self._wait(max(0.0, position - places), since)[0] or 0.0
        high = self._wait(position + places, since)[0] or LONGEST_SECONDS
        slack = DEVIATIONS * self.jitter
        return Estimate(
            round(middle),
            math.floor(max(0.0, min(low, middle) - slack)),
            math.ceil(min(LONGEST_SECONDS, max(high, middle) + slack)),
        )

    def _wait(self, places: float, since: float) -> tuple[float | None, float]:
        """Return the seconds until so many places have opened or left, and how many have left."""
        needed, served, clock = places, 0.0, since
        for piece in self._pieces_after(since):
            if clock - since > LONGEST_SECONDS:
                break
            needed, clock = self._decayed(needed, piece.start - clock), piece.start
            length = piece.end - piece.start
            if length <= 0:
                if piece.places >= needed:
                    return clock - since, max(0.0, places - served - needed)
                needed, served = needed - piece.places, served + piece.places
                continue
            rate = piece.places / length
            seconds = self._seconds_at(rate, needed)
            if seconds <= length:
                return clock + seconds - since, max(0.0, places - served - rate * seconds)
            needed, clock = self._after(rate, needed, length), piece.end
            served += piece.places
        return None, 0.0

    def _pieces_after(self, since: float) -> Iterator[Piece]:
        """Yield what opens from a moment on; the first piece may have begun before it."""
        end = since
        for number in range(MOST_CYCLES if self.cycle else 1):
            # Whole cycles that have passed open nothing any more.
            shift = self.cycle * (number + (since // self.cycle if self.cycle else 0))
            for piece in self.pieces:
                start, until = piece.start + shift, piece.end + shift
                if until < since or piece.places < FEWEST:
                    continue
                places = piece.places
                if start < since and until > start:
                    places *= (until - since) / (until - start)
                yield Piece(max(start, since), until, places)
                end = max(end, until)
        rate = self.mean_rate()
        if rate > FEWEST:
            yield Piece(end, end + LONGEST_SECONDS, rate * LONGEST_SECONDS)

    def mean_rate(self) -> float:
        """Return the places that open in a second, in the long run."""
        if self.cycle:
            return sum(piece.places for piece in self.pieces) / self.cycle
        return self.rate

    def _seconds_at(self, rate: float, needed: float) -> float:
        """Return the seconds until a place opens, while people ahead leave, too."""
        others = max(0.0, needed - 1)
        if self.leaving <= 0:
            return needed / rate
        return math.log1p(self.leaving * others / rate) / self.leaving + (needed - others) / rate

    def _after(self, rate: float, needed: float, seconds: float) -> float:
        """Return how many are still needed after some seconds, fewer than `_seconds_at`."""
        others = max(0.0, needed - 1)
        if self.leaving <= 0 or others <= 0:
            return needed - rate * seconds
        flow = rate / self.leaving
        reached = (others + flow) * math.exp(-self.leaving * seconds) - flow
        if reached >= 0:
            return reached + 1
        first = math.log1p(self.leaving * others / rate) / self.leaving
        return max(0.0, 1 - rate * (seconds - first))

    def _decayed(self, needed: float, seconds: float) -> float:
        """Return how many are still needed after a time in which people only leave."""
        if needed <= 1 or seconds <= 0:
            return needed
        return 1 + (needed - 1) * math.exp(-self.leaving * seconds)


class Wait(Struct, frozen=True):
    """An estimate, or the reason why it is missing."""

    estimate: Estimate | None
    unavailable: Unavailable | None


def wait_at(position: int, pace: str | None, now_millis: int) -> Wait:
    """Return the wait of a position by the text in Redis; it is `paused` while a list is."""
    if pace == PAUSED:
        return Wait(None, "paused")
    known = Pace.decode(pace or UNKNOWN)
    estimate = known.estimate(position, now_millis / 1000) if known else None
    return Wait(estimate, None if estimate else "unknown")


def _short(number: float) -> str:
    return f"{number:.6g}"
