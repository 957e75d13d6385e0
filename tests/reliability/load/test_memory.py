"""Tests that a load test reports each part of the service whose memory grows."""

from tests.reliability.load.memory import MOST_GROWTH, STORES, Sample, growths

ROLE = "public function"


def samples(*megabytes: float, role: str = ROLE) -> list[Sample]:
    return [Sample(at, {role: each}, {role: 1}) for at, each in enumerate(megabytes)]


def test_memory_that_grows_only_at_the_start_is_flat() -> None:
    (one,) = growths(samples(*[50, 60, 70, 80] * 5, *[80] * 20, *[81] * 20))
    assert one.is_flat
    assert (one.before, one.after) == (80, 81)


def test_a_part_that_keeps_growing_is_noticed() -> None:
    (one,) = growths(samples(*range(100, 160)))
    assert not one.is_flat
    assert one.ratio > MOST_GROWTH


def test_a_store_may_grow() -> None:
    """Redis' and DynamoDB's memory may grow, because it depends on how much data they store."""
    for store in STORES:
        (one,) = growths(samples(*range(100, 160), role=store))
        assert one.is_flat
