"""Many items are processed in parallel."""

from collections.abc import Iterator
from threading import Barrier

import pytest

from tests.support.threads import real_threads
from waitlist_api.parallel import run_all

MANY = 5


@pytest.fixture(autouse=True)
def _with_real_threads() -> Iterator[None]:
    with real_threads():
        yield


def test_items_are_processed_at_the_same_time() -> None:
    barrier = Barrier(MANY, timeout=60)

    def wait_for_the_others(item: int) -> int:
        barrier.wait()
        return item

    assert run_all(wait_for_the_others, range(MANY)) == list(range(MANY))


def test_all_items_are_processed_before_the_first_error_is_raised() -> None:
    done = set()

    def fail_on_small(item: int) -> None:
        done.add(item)
        if item < 2:
            raise ValueError(item)

    with pytest.raises(ValueError, match="0"):
        run_all(fail_on_small, range(MANY), workers=1)
    assert done == set(range(MANY))


def test_no_item_is_no_work() -> None:
    assert run_all(str, ()) == []
