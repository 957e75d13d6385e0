"""Expired claims and offers are ended before a request is answered, but a request does not spend
too much time on this.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any, cast

import pytest

from waitlist_queue.service import EXPIRING_SECONDS, EXPIRING_TURNS, QueueService
from waitlist_queue.store import Call, RedisStore, Reply

CLAIM = {"v": 1, "op": "claim", "waitlist_id": "bakery", "count": 1}


class NeverDone:
    """A fake Redis server that never runs out of expired claims and offers.

    It counts the calls that end them.
    """

    def __init__(self) -> None:
        self.turns = 0

    def run(self, _call: Call) -> Reply:
        return ["expiring"]

    def run_many(self, calls: Sequence[Call]) -> list[Reply]:
        self.turns += sum(call.script.name == "expire" for call in calls)
        return [["expiring"] for _ in calls]


def handle_message(message: dict[str, Any], seconds_each: float) -> tuple[Any, int]:
    """Return the response, and the number of calls that ended expired claims and offers."""
    store, ticks = NeverDone(), count()
    service = QueueService(cast(RedisStore, store), lambda: next(ticks) * seconds_each)
    return service.handle(message), store.turns


def test_a_fast_redis_gets_all_the_turns() -> None:
    """P9"""
    answer, turns = handle_message(CLAIM, seconds_each=0.0)
    assert (answer["code"], turns) == ("expiring", EXPIRING_TURNS)


@pytest.mark.parametrize("seconds_each", [0.1, 0.3, 2.0])
def test_no_turn_begins_after_the_time_limit(seconds_each: float) -> None:
    """Ending expired claims and offers takes several calls.

    The first one is always made, but none starts after the time limit (promise P9).
    """
    answer, turns = handle_message(CLAIM, seconds_each)
    assert answer["code"] == "expiring"
    assert (turns - 1) * seconds_each <= EXPIRING_SECONDS
    assert turns == max(1, int(EXPIRING_SECONDS / seconds_each + 1e-9) + 1)


def test_the_rows_of_a_batch_share_the_turns_of_their_waitlist() -> None:
    """A batch of messages ends no more expired claims and offers than a single message does
    (promise P9).
    """
    batch = {"v": 1, "op": "batch", "requests": [CLAIM, CLAIM]}
    answer, turns = handle_message(batch, seconds_each=0.0)
    assert [result["code"] for result in answer["results"]] == ["expiring", "expiring"]
    assert turns == EXPIRING_TURNS
