"""The benchmark fails if a contest claims wrong entries, or claims them in the wrong order."""

import json

import pytest

from tools.bench.contest import Side, check_order
from tools.bench.line import BenchError

COMPLETED = json.dumps({"ok": True, "outcome": "completed"})
Claimed = tuple[str, str, int]  # the claimed segment, the member that was returned, and its rank


def _belongs(member: str, segment: str | None) -> bool:
    """A member is in a segment if its name has the segment's first letter."""
    return segment is None or segment[0] in member


def _check(*claimers: list[Claimed]) -> None:
    asked = [[json.dumps({"segment": segment}) for segment, _, _ in claims] for claims in claimers]
    told = [[answer for claimed in claims for answer in _answers(claimed)] for claims in claimers]
    side = Side("some", None, lambda: "", _belongs)  # type: ignore[arg-type]
    check_order(side, asked, told)


def _answers(claimed: Claimed) -> list[str]:
    _, member, rank = claimed
    entries = [{"entry_id": member, "rank": rank}]
    return [json.dumps({"outcome": "claimed", "entries": entries}), COMPLETED]


def test_each_claimer_may_be_given_people_in_the_order_of_each_segment() -> None:
    _check([("red", "r", 5), ("blue", "b", 1), ("red", "rb", 6)], [("red", "r", 2)])


def test_an_entry_from_ahead_of_the_one_before_is_out_of_order() -> None:
    with pytest.raises(BenchError, match="out of order"):
        _check([("red", "r", 5), ("blue", "b", 1), ("red", "rb", 4)])


def test_no_entry_is_given_twice() -> None:
    with pytest.raises(BenchError, match="out of order"):
        _check([("red", "r", 5), ("red", "r", 5)])


def test_an_entry_of_another_segment_is_the_wrong_one() -> None:
    with pytest.raises(BenchError, match="not in the segment"):
        _check([("red", "b", 5)])
