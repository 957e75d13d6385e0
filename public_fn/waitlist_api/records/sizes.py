"""Split writes into transactions that are small enough for DynamoDB."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

TRANSACTION_BYTES = 4 * 1024 * 1024
# A DynamoDB number has up to 38 digits, and every two digits take a byte.
NUMBER_BYTES = 21
# In DynamoDB, an empty map or list takes NESTED_BYTES. Each value inside it takes INNER_BYTES in
# addition to its own size.
NESTED_BYTES, INNER_BYTES = 3, 1

T = TypeVar("T")


def item_bytes(item: Mapping[str, Any]) -> int:
    """Return an upper bound for an item's size in DynamoDB, in bytes."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def transactions(
    items: Sequence[T], most: int, bytes_of: Callable[[T], int]
) -> Iterator[Sequence[T]]:
    """Split items into groups that each fit into one transaction. The order does not change."""
    start = size = 0
    for at, item in enumerate(items):
        added = bytes_of(item)
        if at > start and (at - start == most or size + added > TRANSACTION_BYTES):
            yield items[start:at]
            start, size = at, 0
        size += added
    if start < len(items):
        yield items[start:]


def _value_bytes(value: Any) -> int:
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, Mapping):
        inner = (
            len(name.encode()) + _value_bytes(inner_value) for name, inner_value in value.items()
        )
        return NESTED_BYTES + sum(INNER_BYTES + size for size in inner)
    if isinstance(value, list | tuple):
        return NESTED_BYTES + sum(INNER_BYTES + _value_bytes(inner_value) for inner_value in value)
    return NUMBER_BYTES
