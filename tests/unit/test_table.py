"""If DynamoDB leaves some items of a batch unprocessed, the service requests them a few more times,
after random pauses.
"""

from typing import Any

import pytest

from waitlist_api.records.table import BATCH_TRIES, PAUSE_SECONDS, Table
from waitlist_shared.errors import Throttled

KEYS: list[Any] = [{"pk": "one", "sk": "RECORD"}, {"pk": "two", "sk": "RECORD"}]


class BusyClient:
    """A fake DynamoDB client that leaves all items of a batch unprocessed in its first `times`
    calls.
    """

    def __init__(self, times: int) -> None:
        self.times = times
        self.asked: list[int] = []

    def batch_get_item(self, RequestItems: Any) -> Any:  # noqa: N803
        keys = RequestItems["table"]["Keys"]
        if self._is_busy(len(keys)):
            return {"Responses": {}, "UnprocessedKeys": {"table": {"Keys": keys}}}
        return {"Responses": {"table": keys[:1]}, "UnprocessedKeys": {"table": {"Keys": keys[1:]}}}

    def batch_write_item(self, RequestItems: Any) -> Any:  # noqa: N803
        writes = RequestItems["table"]
        left = writes if self._is_busy(len(writes)) else writes[1:]
        return {"UnprocessedItems": {"table": left} if left else {}}

    def _is_busy(self, size: int) -> bool:
        self.asked.append(size)
        return len(self.asked) <= self.times


@pytest.fixture
def pauses() -> list[float]:
    return []


def read(client: BusyClient, pauses: list[float]) -> list[Any]:
    return Table(client, "table", pauses.append).get_many(KEYS)


def test_unprocessed_keys_are_requested_again(pauses: list[float]) -> None:
    client = BusyClient(times=1)
    assert read(client, pauses) == KEYS
    assert client.asked == [2, 2, 1]


def test_unprocessed_deletes_are_repeated(pauses: list[float]) -> None:
    client = BusyClient(times=2)
    Table(client, "table", pauses.append).delete_many(KEYS)
    assert client.asked == [2, 2, 2, 1]


def test_pauses_before_repeats_are_random_and_grow() -> None:
    """Retries wait for random, growing pauses, so that throttled callers do not all come back at
    once.
    """
    first: list[float] = []
    for _ in range(50):
        pauses: list[float] = []
        read(BusyClient(times=3), pauses)
        assert all(
            0 <= pause <= PAUSE_SECONDS * 2**turn for turn, pause in enumerate(pauses, start=1)
        )
        first.append(pauses[0])
    assert len(set(first)) > 40


@pytest.mark.parametrize("act", ["get_many", "delete_many"])
def test_after_a_few_repeats_a_busy_table_raises_throttled(act: str, pauses: list[float]) -> None:
    """P9"""
    client = BusyClient(times=BATCH_TRIES)
    with pytest.raises(Throttled):
        getattr(Table(client, "table", pauses.append), act)(KEYS)
    assert len(client.asked) == BATCH_TRIES
