"""A table's items, in the order in which queries return them."""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

Item = dict[str, Any]
Key = tuple[str, str]
# An item's sort position in its partition: the sort key, and then the item's key in the table.
# Several items in an index can have the same sort key.
Place = tuple[Any, str, str]

TABLE_KEYS = ("pk", "sk")
INDEX_KEYS = ("place", "place_rank")


class Items(dict[Key, Item]):
    """All items by key, and each partition's sorted keys.

    The keys are not sorted until the first query. This saves time in tests, which often replace all
    items but seldom query them.
    """

    def __init__(self, items: Mapping[Key, Item] = {}) -> None:
        super().__init__(items)
        self._partitions: defaultdict[tuple[str, str], list[Place]] | None = None

    def partition(self, keys: tuple[str, str], value: str) -> list[Place]:
        """`keys` contains the names of the partition key and the sort key."""
        if self._partitions is None:
            self._partitions = self._sorted()
        return self._partitions.get((keys[0], value), [])

    def __setitem__(self, key: Key, item: Item) -> None:
        before = self.get(key)
        super().__setitem__(key, item)
        self._replace(before, item)

    def __delitem__(self, key: Key) -> None:
        self.pop(key)

    def pop(self, key: Key, *default: Any) -> Any:
        before = self.get(key)
        removed = super().pop(key, *default)
        self._replace(before, None)
        return removed

    def _sorted(self) -> defaultdict[tuple[str, str], list[Place]]:
        partitions: defaultdict[tuple[str, str], list[Place]] = defaultdict(list)
        for item in self.values():
            for partition, place in _places(item):
                partitions[partition].append(place)
        for places in partitions.values():
            places.sort()
        return partitions

    def _replace(self, before: Item | None, after: Item | None) -> None:
        if self._partitions is None:
            return
        old = set(_places(before)) if before else set()
        new = set(_places(after)) if after else set()
        for partition, place in old - new:
            places = self._partitions[partition]
            del places[bisect_left(places, place)]
            if not places:
                del self._partitions[partition]
        for partition, place in new - old:
            insort(self._partitions[partition], place)


def place_of(item: Mapping[str, Any], keys: tuple[str, str]) -> Place:
    """Return the sort position of an item, or of a key with the key attributes of the index."""
    return plain(item[keys[1]]), item["pk"]["S"], item["sk"]["S"]


def plain(value: Mapping[str, Any]) -> Any:
    ((kind, content),) = value.items()
    return int(content) if kind == "N" else content


def _places(item: Item) -> list[tuple[tuple[str, str], Place]]:
    places = [(("pk", item["pk"]["S"]), place_of(item, TABLE_KEYS))]
    if "place" in item and "place_rank" in item:
        places.append((("place", item["place"]["S"]), place_of(item, INDEX_KEYS)))
    return places
