"""Provides an in-memory DynamoDB table whose index lags behind, as a real index may."""

from collections import deque
from typing import Any

from tools.local.dynamodb.items import Item, Items, Key
from tools.local.dynamodb.memory_table import MemoryTable

MOST_BEHIND = 5
Past = dict[Key, Item]


class StaleIndexTable(MemoryTable):
    """A table whose index can lag behind the latest writes.

    The table remembers its contents before each of these writes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.past: deque[Past] = deque(maxlen=MOST_BEHIND)
        self._seen: Past | None = None

    def freeze(self) -> None:
        """Hide all later writes from the index until `catch_up` is called."""
        self._seen = self.items.copy()

    def fall_behind(self, writes: int) -> None:
        """Hide the last few writes and all later ones from the index until `catch_up` is called."""
        oldest_known = self.past[0] if self.past else self.items.copy()
        self._seen = self.past[-writes] if writes <= len(self.past) else oldest_known

    @property
    def is_behind(self) -> bool:
        return self._seen is not None

    def catch_up(self) -> None:
        self._seen = None

    def transact_write_items(self, TransactItems: list[Item], **_: Any) -> Item:  # noqa: N803
        before = self.items.copy()
        answer = super().transact_write_items(TransactItems=TransactItems)
        if any(_is_of_entry(request) for one in TransactItems for request in one.values()):
            self.past.append(before)
        return answer

    def _alone(self, request: Item, write: Any, operation: str) -> Item:
        before = self.items.copy()
        answer = super()._alone(request, write, operation)
        if _is_of_entry(request):
            self.past.append(before)
        return answer

    def _readable(self, request: Item) -> Items:
        if "IndexName" in request and self._seen is not None:
            return Items(self._seen)
        return super()._readable(request)


def _is_of_entry(request: Item) -> bool:
    key = request.get("Item") or request["Key"]
    return bool(key["pk"]["S"].startswith("ENTRY#"))
