"""The pace of a policy with hours: worked out in the time of its hours, then spread over the days.

Between its hours such a list stands still, so they are left out of the time in which its places
open, and put back at the end.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec.structs import replace

from waitlist_api.estimates.pace import LONGEST_SECONDS, Pace, Piece

# So many hours are followed one by one; after them places open all day, at a mean rate.
MOST_HOURS = 14
Hours = Sequence[tuple[float, float]]


def open_seconds(hours: Hours, start: float, second: float) -> float:
    """Return a time as if the list had hours alone since `start`; one between is the opening."""
    if second <= start:
        return second
    within = sum(max(0.0, min(second, end) - max(start, begin)) for begin, end in hours)
    return start + within + max(0.0, second - hours[-1][1]) * _part(hours)


def spread(pace: Pace, hours: Hours) -> Pace:
    """Return the pace at any time, of one in the time of the hours.

    A pace in cycles stays as it is: it is of the days as they were.
    """
    if pace.cycle:
        return pace
    windows = [(max(0.0, begin - pace.at), end - pace.at) for begin, end in hours]
    starts = [0.0]
    for begin, end in windows:
        starts.append(starts[-1] + end - begin)
    pieces = [part for piece in pace.pieces for part in _parts(piece, windows, starts)]
    last = max((piece.end for piece in pace.pieces), default=0.0)
    if pace.rate > 0 and last < LONGEST_SECONDS:
        rest = Piece(last, max(last, starts[-1]), pace.rate * max(0.0, starts[-1] - last))
        pieces += _parts(rest, windows, starts)
    return replace(pace, rate=pace.rate * _part(hours), pieces=tuple(pieces))


def _parts(piece: Piece, windows: Hours, starts: Sequence[float]) -> Iterator[Piece]:
    """Yield the parts of a piece, each within hours; `starts` are theirs in their own time."""
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
        # Later than the hours that are known.
        start, known = max(piece.start, starts[-1]), windows[-1][1]
        part = _part(windows)
        yield Piece(
            known + (start - starts[-1]) / part,
            known + (piece.end - starts[-1]) / part,
            piece.places * (piece.end - start) / length,
        )


def _part(hours: Hours) -> float:
    """Return the part of the day that the hours are."""
    whole = hours[-1][1] - hours[0][1]
    return sum(end - begin for begin, end in hours[1:]) / whole
