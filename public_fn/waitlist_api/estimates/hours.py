"""Compute how fast people are admitted if a policy makes offers only during its offer hours.

The pace is first computed in open time, which passes only during these hours, and then converted to
real time.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from waitlist_api.estimates.pace import LONGEST_SECONDS, Pace, Piece

# How many future periods of offer hours an estimate takes into account. After the last of these
# periods, the estimate spreads admissions evenly over the whole day.
MOST_HOURS = 14
Hours = Sequence[tuple[float, float]]


def open_seconds(hours: Hours, start: float, second: float) -> float:
    """Convert a time to open time, which passes only during the offer hours."""
    if second <= start:
        return second
    within = sum(max(0.0, min(second, end) - max(start, begin)) for begin, end in hours)
    return start + within + max(0.0, second - hours[-1][1]) * _open_fraction(hours)


def spread(pace: Pace, hours: Hours) -> Pace:
    """Convert a pace (how fast people are admitted) from open time to real time.

    Open time passes only during the offer hours.
    """
    if pace.cycle:
        return pace
    windows = [(max(0.0, begin - pace.at), end - pace.at) for begin, end in hours]
    starts = [0.0]
    for begin, end in windows:
        starts.append(starts[-1] + end - begin)
    pieces = [part for piece in pace.pieces for part in _split(piece, windows, starts)]
    last = max((piece.end for piece in pace.pieces), default=0.0)
    if pace.rate > 0 and last < LONGEST_SECONDS:
        rest = Piece(last, max(last, starts[-1]), pace.rate * max(0.0, starts[-1] - last))
        pieces += _split(rest, windows, starts)
    return replace(pace, rate=pace.rate * _open_fraction(hours), pieces=tuple(pieces))


def _split(piece: Piece, windows: Hours, starts: Sequence[float]) -> Iterator[Piece]:
    """Convert one interval of admissions from open time to real time.

    Yield one interval for each period of offer hours in which people are admitted.
    """
    length = piece.end - piece.start
    for number, ((begin, _), (first, last)) in enumerate(
        zip(windows, pairwise(starts), strict=True)
    ):
        is_last = number == len(windows) - 1
        if length <= 0 and first <= piece.start and (piece.start < last or is_last):
            moment = begin + piece.start - first
            yield Piece(moment, moment, piece.places)
            return
        start, until = max(piece.start, first), min(piece.end, last)
        if length > 0 and start < until:
            places = piece.places * (until - start) / length
            yield Piece(begin + start - first, begin + until - first, places)
    if length > 0 and piece.end > starts[-1]:
        # The interval continues after the last known offer hours. Spread its remaining admissions
        # evenly over the time after those hours.
        start, known = max(piece.start, starts[-1]), windows[-1][1]
        part = _open_fraction(windows)
        yield Piece(
            known + (start - starts[-1]) / part,
            known + (piece.end - starts[-1]) / part,
            piece.places * (piece.end - start) / length,
        )


def _open_fraction(hours: Hours) -> float:
    """Return the fraction of time that lies within the offer hours."""
    whole = hours[-1][1] - hours[0][1]
    return sum(end - begin for begin, end in hours[1:]) / whole
