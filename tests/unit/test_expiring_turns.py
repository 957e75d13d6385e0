"""A message that many holds have to end before keeps the function's time."""

from collections.abc import Sequence
from itertools import count
from typing import Any, cast

import pytest

from waitlist_queue.service import EXPIRING_SECONDS, EXPIRING_TURNS, QueueService
from waitlist_queue.store import Call, RedisStore, Reply

CLAIM = {"v": 1, "op": "claim", "waitlist_id": "bakery", "count": 1}


class NeverDone:
    """A Redis in which more holds have always expired. It counts the runs that end holds."""

    def __init__(self) -> None:
        self.turns = 0

    def run(self, _call: Call) -> Reply:
        return ["expiring"]

    def run_many(self, calls: Sequence[Call]) -> list[Reply]:
        self.turns += sum(call.script.name == "expire" for call in calls)
        return [["expiring"] for _ in calls]


def answered(message: dict[str, Any], seconds_each: float) -> tuple[Any, int]:
    """Return the answer, and how many turns the service took if each turn takes so long."""
    store, ticks = NeverDone(), count()
    service = QueueService(cast(RedisStore, store), lambda: next(ticks) * seconds_each)
    return service.handle(message), store.turns


def test_a_quick_redis_is_asked_again_and_again() -> None:
    """P9"""
    answer, turns = answered(CLAIM, seconds_each=0.0)
    assert (answer["code"], turns) == ("expiring", EXPIRING_TURNS)


@pytest.mark.parametrize("seconds_each", [0.1, 0.3, 2.0])
def test_no_turn_begins_that_could_end_too_late(seconds_each: float) -> None:
    """P9: only the first turn may."""
    answer, turns = answered(CLAIM, seconds_each)
    assert answer["code"] == "expiring"
    assert (turns - 1) * seconds_each <= EXPIRING_SECONDS
    assert turns == max(1, int(EXPIRING_SECONDS / seconds_each + 1e-9) + 1)


def test_the_rows_of_a_batch_share_the_turns_of_their_waitlist() -> None:
    """P9: a batch takes no more time than one message."""
    batch = {"v": 1, "op": "batch", "requests": [CLAIM, CLAIM]}
    answer, turns = answered(batch, seconds_each=0.0)
    assert [result["code"] for result in answer["results"]] == ["expiring", "expiring"]
    assert turns == EXPIRING_TURNS
