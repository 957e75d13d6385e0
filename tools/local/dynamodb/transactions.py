"""Makes moto's transactions cost what they touch.

Moto copies a whole table before each transaction, to put it back if one condition fails: at 2,000
entries that is seconds for one signup. Here only the transaction's own items are kept aside.
"""

import copy
from collections.abc import Callable
from typing import Any

from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.table import Table

Transact = Callable[[DynamoDBBackend, list[dict[str, Any]]], None]


def cheap_transactions() -> None:
    """Changes moto for this process; a second call changes nothing."""
    if "__deepcopy__" in vars(Table):
        return
    # What moto takes for its backup is then the table itself, and putting it back does nothing.
    changes: list[tuple[type, str, Any]] = [
        (Table, "__deepcopy__", lambda table, _memo: table),
        (DynamoDBBackend, "transact_write_items", _undoing(DynamoDBBackend.transact_write_items)),
    ]
    for owner, name, method in changes:
        setattr(owner, name, method)


def _undoing(transact: Transact) -> Transact:
    def transact_write_items(backend: DynamoDBBackend, operations: list[dict[str, Any]]) -> None:
        kept = [_Kept(backend, next(iter(one.values()), {})) for one in operations]
        try:
            transact(backend, operations)
        except Exception:
            for item in kept:
                item.put_back()
            raise

    return transact_write_items


class _Kept:
    """One item as it is before the transaction; nothing for an operation that moto will refuse."""

    def __init__(self, backend: DynamoDBBackend, operation: dict[str, Any]) -> None:
        self._table = backend.tables.get(operation.get("TableName", ""))
        if self._table is None:
            return
        attributes = operation.get("Key") or operation.get("Item") or {}
        keys = (self._table.hash_key_attr, self._table.range_key_attr)
        if any(key not in attributes for key in keys):
            self._table = None
            return
        self._hash, self._range = backend.get_keys_value(self._table, attributes)
        self._item = copy.deepcopy(self._table.get_item(self._hash, self._range))
        shard = self._table.stream_shard
        self._stream_length = len(shard.items) if shard else 0

    def put_back(self) -> None:
        if self._table is None:
            return
        if self._item is None:
            self._table.items[self._hash].pop(self._range, None)
        else:
            self._table.items[self._hash][self._range] = self._item
        if self._table.stream_shard:
            del self._table.stream_shard.items[self._stream_length :]
