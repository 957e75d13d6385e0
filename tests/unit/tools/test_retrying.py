import pytest

from tools.local.retrying import POLICY, RetryPolicy


def most() -> float:
    return 1.0


def test_a_pause_is_what_was_asked_for_and_a_random_part_that_grows() -> None:
    asked = {"retry-after": "2"}
    assert POLICY.pause_after(0, asked, jitter=lambda: 0.0) == 2
    assert [POLICY.pause_after(attempt, asked, most) for attempt in range(5)] == [3, 4, 6, 10, 10]
    assert POLICY.pause_after(1, asked, jitter=lambda: 0.5) == 3


def test_those_refused_together_do_not_come_back_together() -> None:
    pauses = {POLICY.pause_after(0, {"retry-after": "1"}) for _ in range(100)}
    assert len(pauses) == 100
    assert all(1 <= pause < 2 for pause in pauses)


@pytest.mark.parametrize("header", ["", "soon", "-1", "1.5"])
def test_an_answer_that_does_not_say_when_counts_as_a_second(header: str) -> None:
    assert POLICY.pause_after(0, {"retry-after": header}, jitter=lambda: 0.0) == 1


def test_nobody_waits_for_an_hour() -> None:
    """P9"""
    policy = RetryPolicy(most_asked_seconds=30, most_jitter_seconds=8)
    assert policy.pause_after(100, {"retry-after": "3600"}, most) == 38
