"""Makes moto's queries cost what they may find.

Moto sorts the whole table, and then looks at each item, for every query: at 8,000 entries that is
half a second, in which nobody else is served. Here it only sees the items of the partition. And it
makes JSON of a whole item for each attribute that is to be shown: a page of 500 took it as long.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

from moto.dynamodb.models.dynamo_type import DynamoType, Item, LimitedSizeDict
from moto.dynamodb.models.table import Table

CHANGED = "_sees_its_partition"
# The name of an attribute, and not a place within it.
WHOLE = re.compile(r"\w+")


def cheap_queries() -> None:
    """Changes moto for this process; a second call changes nothing."""
    if hasattr(Table, CHANGED):
        return
    query = Table.query

    def narrowed(table: Table, hash_key: DynamoType | None, *rest: Any, **more: Any) -> Any:
        # `index_name` is the seventh of its arguments after the key, where it is not named.
        index_name = more.get("index_name", rest[6] if len(rest) > 6 else None)
        # Hidden for this one call; the server takes one request at a time.
        partition = sorted(_partition(table, hash_key, index_name, more), key=_place)
        vars(table)["all_items"] = lambda: partition
        try:
            return query(table, hash_key, *rest, **more)
        finally:
            del vars(table)["all_items"]

    changes: list[tuple[Any, str, Any]] = [
        (Table, CHANGED, True),
        (Table, "query", narrowed),
        (Item, "project", _showing(Item.project)),
    ]
    for owner, name, value in changes:
        setattr(owner, name, value)


def _partition(
    table: Table, hash_key: DynamoType | None, index_name: str | None, more: dict[str, Any]
) -> Iterator[Item]:
    if not index_name:
        yield from table.items.get(hash_key, {}).values()
        return
    wanted = [(name, value.value) for name, value in more.get("hash_key_conditions") or ()]
    for items in table.items.values():
        for item in items.values():
            # Every item is looked at here: nothing may be made for each.
            for name, value in wanted:
                attribute = item.attrs.get(name)
                if attribute is None or attribute.value != value:
                    break
            else:
                yield item


def _showing(project: Callable[[Item, list[list[str]]], Item]) -> Any:
    def shown(item: Item, paths: list[list[str]]) -> Item:
        if not all(len(path) == 1 and WHOLE.fullmatch(path[0]) for path in paths):
            return project(item, paths)
        some: Any = Item.__new__(Item)
        some.hash_key, some.range_key, some.attrs = item.hash_key, item.range_key, LimitedSizeDict()
        wanted = {path[0] for path in paths}
        # Not by its own `update`, which measures the whole for each of them.
        dict.update(some.attrs, {name: one for name, one in item.attrs.items() if name in wanted})
        return cast(Item, some)

    return shown


def _place(item: Item) -> Any:
    return (item.hash_key, item.range_key)
