"""Counts the request units of calls to DynamoDB, which AWS bills for on-demand tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import Any

from botocore.exceptions import ClientError

from tools.local.dynamodb.items import INDEX_KEYS
from tools.local.dynamodb.limits import item_bytes
from tools.local.dynamodb.memory_table import MemoryTable, projected

WRITE_BYTES, READ_BYTES = 1024, 4096
Item = dict[str, Any]


@dataclass
class Units:
    """Request units by kind. The units in `index_writes` are also included in `writes`."""

    writes: float = 0
    index_writes: float = 0
    reads: float = 0
    calls: int = 0


class MeteredTable(MemoryTable):
    """A table that counts request units.

    A write costs one unit per KB of the item before or after the write, whichever is larger. Writes
    in a transaction cost twice as much. A single write whose condition fails costs as much as
    writing the existing item.

    The index costs one unit per KB that changes in it, and twice as much if the item moves within
    the index. Reads of single items are consistent.
    """

    def __init__(self) -> None:
        super().__init__()
        self.units = Units()
        self._factor = 1

    def transact_write_items(self, TransactItems: list[Item], **_: Any) -> Item:  # noqa: N803
        with self._lock:
            self.units.calls += 1
            self._factor = 2
            try:
                return super().transact_write_items(TransactItems)
            finally:
                self._factor = 1

    def _alone(self, request: Item, write: Any, operation: str) -> Item:
        with self._lock:
            self.units.calls += 1
            try:
                return super()._alone(request, write, operation)
            except ClientError as error:
                response: Item = dict(error.response)
                if found := response.get("Item"):
                    self.units.writes += ceil(item_bytes(found) / WRITE_BYTES)
                raise

    def get_item(self, Key: Item, **_: Any) -> Item:  # noqa: N803
        found = super().get_item(Key)
        self._read(1, item_bytes(found.get("Item", {})))
        return found

    def batch_get_item(self, RequestItems: Item) -> Item:  # noqa: N803
        with self._lock:
            answer = super().batch_get_item(RequestItems)
            self.units.calls += 1
            for item in next(iter(answer["Responses"].values())):
                self.units.reads += ceil(item_bytes(item) / READ_BYTES)
        return answer

    def query(self, **request: Any) -> Item:
        answer = super().query(**request)
        share = 1 if request.get("ConsistentRead") else 0.5
        self._read(share, sum(map(item_bytes, answer["Items"])))
        return answer

    def _read(self, share: float, size: int) -> None:
        with self._lock:
            self.units.calls += 1
            self.units.reads += share * max(1, ceil(size / READ_BYTES))

    def _write(self, key: Any, item: Item | None) -> None:
        before = self.items.get(key)
        size = max(item_bytes(state or {}) for state in (before, item))
        self.units.writes += self._factor * ceil(size / WRITE_BYTES)
        of_index = _index_units(_in_index(before), _in_index(item))
        self.units.writes += of_index
        self.units.index_writes += of_index
        super()._write(key, item)


def _in_index(item: Item | None) -> Item | None:
    if item is None or not set(item).issuperset(INDEX_KEYS):
        return None
    return {name: value for name, value in item.items() if name in projected()}


def _index_units(before: Item | None, after: Item | None) -> int:
    if before == after:
        return 0
    if before is None or after is None:
        return ceil(item_bytes(before or after or {}) / WRITE_BYTES)
    size = ceil(max(item_bytes(before), item_bytes(after)) / WRITE_BYTES)
    has_moved = any(before[name] != after[name] for name in INDEX_KEYS)
    return 2 * size if has_moved else size


@contextmanager
def units_of(table: MeteredTable) -> Iterator[Units]:
    table.units = Units()
    yield table.units
