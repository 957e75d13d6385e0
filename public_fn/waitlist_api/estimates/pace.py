"""Define a waitlist's pace, which is how fast it admits people.

Maintenance computes the pace and stores it in Redis.
"""

import math
from collections.abc import Iterator
from typing import Literal, Self

from msgspec import Struct, field

Unavailable = Literal["paused", "unknown", "over", "closed"]

# How many standard deviations an estimate's range extends in each direction. The range covers at
# least 80% of actual waits. (It would cover 87% of them if they were normally distributed.)
DEVIATIONS = 1.5
# Positions are whole numbers, so an estimate cannot be more exact than half a position. The range
# of an estimate covers at least half a position on each side of the customer's position.
HALF_A_PLACE = 0.5
# A pace can repeat, for example every day. To save computing time, an estimate simulates at most
# this many repetitions, and uses the mean rate for the time after them.
MOST_CYCLES = 60
# The longest wait that is estimated. An estimate of more than a year is no help to a customer.
LONGEST_SECONDS = 366 * 24 * 3600
# Maintenance stores a new pace (how fast people are admitted) every minute. A stored pace that is
# older than this is not used.
STALE_SECONDS = 3600
# A number of people below this limit is a rounding error, and counts as zero.
FEWEST = 1e-9
UNKNOWN, PAUSED, OVER = "unknown", "paused", "over"
FORMAT = "3"


class Estimate(Struct, frozen=True):
    """The estimated number of seconds until the customer's turn.

    In 4 out of 5 cases, the actual number is between `low` and `high`.
    """

    seconds: int
    low: int
    high: int


class Piece(Struct, frozen=True):
    """A time interval in which people are admitted at a constant rate.

    If `start` and `end` are equal, all people are admitted at once.
    """

    # When the interval begins and ends, in seconds after `Pace.at`.
    start: float
    end: float
    # How many people are admitted in this interval.
    places: float


class Pace(Struct, frozen=True, kw_only=True):
    """How fast a waitlist admits people, starting at the time `at` (in seconds since 1970)."""

    at: int
    # How many people are admitted per second after the last interval.
    rate: float = 0.0
    # The fraction of waiting people who leave per second.
    leaving: float = 0.0
    # The variance of the number of admissions, divided by its mean.
    dispersion: float = 0.0
    # The relative error of the pace.
    error: float = 0.0
    # The standard deviation of the intervals' start and end times, in seconds.
    jitter: float = 0.0
    # The number of seconds after which the intervals repeat, or 0 if they do not.
    cycle: float = 0.0
    # How many of the next people are certain to be admitted at the computed times. `dispersion` and
    # `error` apply only to the people behind them.
    sure: float = 0.0
    # When admissions end, in seconds since 1970, or 0 if they have no end.
    until: int = 0
    # Consecutive time intervals. Within each interval, people are admitted at a constant rate.
    pieces: tuple[Piece, ...] = field(default=())

    def encode(self) -> str:
        """Return the pace as numbers separated by spaces, which is how Redis stores it."""
        numbers = (
            *(self.rate, self.leaving, self.dispersion, self.error, self.jitter),
            *(self.cycle, self.sure),
        )
        pieces = [f"{_short(p.start)}:{_short(p.end)}:{_short(p.places)}" for p in self.pieces]
        return " ".join([FORMAT, str(self.at), str(self.until), *map(_short, numbers), *pieces])

    @classmethod
    def decode(cls, text: str) -> Self | None:
        """Parse a pace stored in Redis. Return None if the pace is unknown."""
        words = text.split(" ")
        if words[0] != FORMAT:
            return None
        rate, leaving, dispersion, error, jitter, cycle, sure = map(float, words[3:10])
        return cls(
            at=int(words[1]),
            until=int(words[2]),
            rate=rate,
            leaving=leaving,
            dispersion=dispersion,
            error=error,
            jitter=jitter,
            cycle=cycle,
            sure=sure,
            pieces=tuple(Piece(*map(float, word.split(":"))) for word in words[10:]),
        )

    def estimate(self, position: int, now: float) -> Estimate | None:
        """Return the estimated wait at a position, or None if the wait is unknown.

        `now` is in seconds since 1970. If admissions end after the expected wait, `high` does not
        go beyond that end, because nobody is admitted later.
        """
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
        longest = math.floor(self.until - now) if self.until > now + middle else LONGEST_SECONDS
        return Estimate(
            round(middle),
            math.floor(max(0.0, min(low, middle) - slack)),
            math.ceil(min(longest, max(high, middle) + slack)),
        )

    def _wait(self, places: float, since: float) -> tuple[float | None, float]:
        """Return how many seconds pass until the first `places` people have all been served or have
        left, and how many of them have left.
        """
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
        """Yield the time intervals that end after `since`, each with a constant admission rate.

        If an interval began before `since`, yield only the rest of it.
        """
        end = since
        for number in range(MOST_CYCLES if self.cycle else 1):
            # Skip the cycles that have already ended.
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
        """Return how many people are admitted per second in the long run."""
        if self.cycle:
            return sum(piece.places for piece in self.pieces) / self.cycle
        return self.rate

    def _seconds_at(self, rate: float, needed: float) -> float:
        """Return how many seconds pass until the last of `needed` people is served.

        People are served at `rate`, and some of the people ahead leave the queue.
        """
        others = max(0.0, needed - 1)
        if self.leaving <= 0:
            return needed / rate
        return math.log1p(self.leaving * others / rate) / self.leaving + (needed - others) / rate

    def _after(self, rate: float, needed: float, seconds: float) -> float:
        """Return how many of `needed` people are still waiting after the given time.

        In the meantime, people are served at `rate`, and some of them leave.
        """
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
        """Return how many of `needed` people are still waiting after a period in which nobody is
        admitted but some people leave.
        """
        if needed <= 1 or seconds <= 0:
            return needed
        return 1 + (needed - 1) * math.exp(-self.leaving * seconds)


class Wait(Struct, frozen=True):
    """An estimated wait, or the reason why there is no estimate."""

    estimate: Estimate | None
    unavailable: Unavailable | None


def wait_at(position: int, pace: str | None, now_millis: int) -> Wait:
    """Return the estimated wait at a position, computed from the pace (how fast people are
    admitted) stored in Redis.
    """
    if pace == PAUSED:
        return Wait(None, "paused")
    if pace == OVER:
        return Wait(None, "over")
    known = Pace.decode(pace or UNKNOWN)
    now = now_millis / 1000
    estimate = known.estimate(position, now) if known else None
    # If admissions end before the customer's turn, there is no wait to estimate.
    if known and known.until and now + (estimate.seconds if estimate else 0) >= known.until:
        return Wait(None, "over")
    return Wait(estimate, None if estimate else "unknown")


def _short(number: float) -> str:
    return f"{number:.6g}"
