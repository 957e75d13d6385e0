"""Computes a customer's position from the public board, as an app would. The board lists the ranks
at some positions in the queue.
"""

from bisect import bisect_right
from collections.abc import Sequence

Cuts = Sequence[tuple[int, int]]


def bounds(cuts: Cuts, total: int, rank: int) -> tuple[int, int]:
    """Return the lowest and highest positions that an entry with this rank can have."""
    after = bisect_right(cuts, rank, key=lambda cut: cut[0])
    if after == 0:
        return 0, 0
    cut_rank, position = cuts[after - 1]
    if cut_rank == rank:
        return position, position
    return position + 1, cuts[after][1] - 1 if after < len(cuts) else total
