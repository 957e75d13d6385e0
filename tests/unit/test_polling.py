"""How soon a client is asked to look again."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waitlist_api.http.polling import LONGEST_SECONDS, poll_after_seconds
from waitlist_api.records.entry import ENDED, Status
from waitlist_shared.contracts import NotReady

positions = st.integers(min_value=1, max_value=10**9)


def seconds(*places: int | None) -> int:
    found = poll_after_seconds("waiting", *places)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("position", "expected"),
    [(1, 1), (20, 1), (21, 2), (1_000, 50), (5_980, 299), (5_981, 300), (10**9, 300)],
)
def test_the_distance_from_the_head_decides(position: int, expected: int) -> None:
    assert seconds(position) == expected


@given(position=positions)
def test_a_customer_polls_after_a_second_at_least_and_five_minutes_at_most(position: int) -> None:
    assert 1 <= seconds(position) <= LONGEST_SECONDS == 300


@given(nearer=positions, further=positions)
def test_a_customer_further_back_polls_no_sooner(nearer: int, further: int) -> None:
    nearer, further = sorted((nearer, further))
    assert seconds(nearer) <= seconds(further)


def test_all_of_a_long_line_together_look_less_often_than_the_api_takes() -> None:
    """P9: a hundred thousand polite clients, in looks a second."""
    assert sum(1 / seconds(position) for position in range(1, 100_001)) < 500


@given(position=positions, within=positions)
def test_the_nearest_place_counts(position: int, within: int) -> None:
    assert seconds(position, within) == min(seconds(position), seconds(within))


@pytest.mark.parametrize(
    ("ends", "expected"),
    [([0], 5), ([10**9], 60), ([5_001], 6), ([10**9, 0], 5), ([0, 1], 1), ([-5_000], 1)],
)
def test_an_entry_that_may_soon_be_ready_looks_then(ends: list[int], expected: int) -> None:
    now = 1_790_000_000_000
    reasons = [NotReady("resting", until_millis=one and now + one) for one in ends]
    found = poll_after_seconds("waiting", 1, not_ready=reasons, now_millis=now)
    assert found == expected


@pytest.mark.parametrize(("position", "expected"), [(1, 5), (101, 6), (1_181, 60), (10**9, 60)])
def test_one_that_may_be_ready_at_any_time_looks_by_its_distance(
    position: int, expected: int
) -> None:
    held_back = [NotReady("held_back")]
    assert poll_after_seconds("waiting", position, not_ready=held_back) == expected


@pytest.mark.parametrize("status", get_args(Status))
def test_an_entry_without_a_position_polls_unless_it_has_ended(status: str) -> None:
    found = poll_after_seconds(status, None)
    assert (found is None) == (status in ENDED)
    assert found is None or 1 <= found <= 60
