"""A message that many holds have to end before keeps the function's time."""

from itertools import count
from typing import Any, cast

import pytest

from waitlist_queue.service import EXPIRING_SECONDS, EXPIRING_TURNS, QueueService
from waitlist_queue.store import Call, RedisStore, Reply

CLAIM = {"v": 1, "op": "claim", "waitlist_id": "bakery", "count": 1}


class NeverDone:
    """A Redis in which more holds have always expired."""

    def __init__(self) -> None:
        self.runs = 0

    def run(self, _call: Call) -> Reply:
        self.runs += 1
        return ["expiring"]


def answered(seconds_each: float) -> tuple[Any, int]:
    """Return the answer, and how many turns it took, where each takes so long."""
    store, ticks = NeverDone(), count()
    service = QueueService(cast(RedisStore, store), lambda: next(ticks) * seconds_each)
    return service.handle(CLAIM), store.runs


def test_a_quick_redis_is_asked_again_and_again() -> None:
    """P9"""
    answer, turns = answered(seconds_each=0.0)
    assert (answer["code"], turns) == ("expiring", EXPIRING_TURNS)


@pytest.mark.parametrize("seconds_each", [0.1, 0.3, 2.0])
def test_no_turn_begins_that_could_end_too_late(seconds_each: float) -> None:
    """P9: the first one may: it is the whole message."""
    answer, turns = answered(seconds_each)
    assert answer["code"] == "expiring"
    assert (turns - 1) * seconds_each <= EXPIRING_SECONDS
    assert turns == max(1, int(EXPIRING_SECONDS / seconds_each + 1e-9) + 1)
