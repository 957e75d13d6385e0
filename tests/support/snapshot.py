"""The whole state of both stores, to compare or to put back."""

from dataclasses import dataclass
from typing import Any

from tests.support.dynamodb import TABLE
from tools.local.dynamodb.items import Item, Key
from tools.local.dynamodb.memory_table import MemoryTable


@dataclass(frozen=True)
class Snapshot:
    """All items of the table by key, and all keys of Redis by name."""

    items: dict[Key, Item]
    keys: dict[str, Any]

    @classmethod
    def of(cls, dynamodb: Any, redis: Any) -> "Snapshot":
        """Read everything."""
        items = {(item["pk"]["S"], item["sk"]["S"]): item for item in _scan(dynamodb)}
        return cls(items, {name: value_of(redis, name) for name in sorted(redis.keys("*"))})

    def restore(self, table: MemoryTable, redis: Any) -> None:
        """Make the stores what they were; times to live are not brought back."""
        table.items = dict(self.items)
        pipeline = redis.pipeline()
        pipeline.flushall()
        for name, value in self.keys.items():
            put_value(pipeline, name, value)
        pipeline.execute()


def _scan(dynamodb: Any) -> list[Item]:
    found: list[Item] = []
    start: Item = {}
    while True:
        answer = dynamodb.scan(TableName=TABLE, ConsistentRead=True, **start)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def value_of(redis: Any, name: str) -> Any:
    """Return what a key holds."""
    match redis.type(name):
        case "hash":
            return redis.hgetall(name)
        case "zset":
            return redis.zrange(name, 0, -1, withscores=True)
        case _:
            return redis.get(name)


def put_value(pipeline: Any, name: str, value: Any) -> None:
    """Have a key hold what `value_of` returned."""
    if isinstance(value, dict):
        pipeline.hset(name, mapping=value)
    elif isinstance(value, list):
        pipeline.zadd(name, dict(value))
    else:
        pipeline.set(name, value)
