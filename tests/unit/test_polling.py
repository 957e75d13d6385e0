"""The service tells each client when to poll next."""

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
def test_customers_far_from_the_head_poll_less_often(position: int, expected: int) -> None:
    assert seconds(position) == expected


@given(position=positions)
def test_a_customer_polls_after_one_second_to_five_minutes(position: int) -> None:
    assert 1 <= seconds(position) <= LONGEST_SECONDS == 300


@given(nearer=positions, further=positions)
def test_a_customer_further_back_polls_no_sooner(nearer: int, further: int) -> None:
    nearer, further = sorted((nearer, further))
    assert seconds(nearer) <= seconds(further)


def test_the_polls_of_a_long_queue_stay_within_the_rate_limit() -> None:
    """In a long queue, clients poll slowly enough to stay within the rate limit.

    A hundred thousand clients that follow `poll_after_seconds` send fewer than 500 requests a
    second (promise P9).
    """
    assert sum(1 / seconds(position) for position in range(1, 100_001)) < 500


@given(position=positions, within=positions)
def test_the_shortest_of_two_distances_decides(position: int, within: int) -> None:
    assert seconds(position, within) == min(seconds(position), seconds(within))


@pytest.mark.parametrize(
    ("ends", "expected"),
    [([0], 5), ([10**9], 60), ([5_001], 6), ([10**9, 0], 5), ([0, 1], 1), ([-5_000], 1)],
)
def test_an_entry_polls_when_it_may_become_ready(ends: list[int], expected: int) -> None:
    now = 1_790_000_000_000
    reasons = [NotReady("resting", until_millis=one and now + one) for one in ends]
    found = poll_after_seconds("waiting", 1, not_ready=reasons, now_millis=now)
    assert found == expected


@pytest.mark.parametrize(("position", "expected"), [(1, 5), (101, 6), (1_181, 60), (10**9, 60)])
def test_an_entry_that_is_held_back_polls_at_least_every_minute(
    position: int, expected: int
) -> None:
    held_back = [NotReady("held_back")]
    assert poll_after_seconds("waiting", position, not_ready=held_back) == expected


@pytest.mark.parametrize("status", get_args(Status))
def test_an_entry_without_a_position_polls_unless_its_stay_has_ended(status: str) -> None:
    found = poll_after_seconds(status, None)
    assert (found is None) == (status in ENDED)
    assert found is None or 1 <= found <= 60
