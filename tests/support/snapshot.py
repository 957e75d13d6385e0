"""Stores the complete contents of DynamoDB and Redis, so that tests can compare and restore
them.
"""

from dataclasses import dataclass
from typing import Any, Self

from tests.support.dynamodb import TABLE
from tools.local.dynamodb.items import Item, Key
from tools.local.dynamodb.memory_table import MemoryTable


@dataclass(frozen=True)
class RedisState:
    """The contents of Redis, without the keys' expiry times."""

    keys: dict[str, Any]

    @classmethod
    def of(cls, redis: Any) -> Self:
        return cls({name: _value_of(redis, name) for name in sorted(redis.keys("*"))})

    def restore(self, redis: Any) -> None:
        pipeline = redis.pipeline()
        pipeline.flushall()
        for name, value in self.keys.items():
            _put_value(pipeline, name, value)
        pipeline.execute()


@dataclass(frozen=True)
class Snapshot:
    items: dict[Key, Item]
    redis: RedisState

    @classmethod
    def of(cls, dynamodb: Any, redis: Any) -> Self:
        items = {(item["pk"]["S"], item["sk"]["S"]): item for item in _scan(dynamodb)}
        return cls(items, RedisState.of(redis))

    def restore(self, table: MemoryTable, redis: Any) -> None:
        table.items = dict(self.items)
        self.redis.restore(redis)


def _scan(dynamodb: Any) -> list[Item]:
    found: list[Item] = []
    start: Item = {}
    while True:
        answer = dynamodb.scan(TableName=TABLE, ConsistentRead=True, **start)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _value_of(redis: Any, name: str) -> Any:
    match redis.type(name):
        case "hash":
            return redis.hgetall(name)
        case "zset":
            return redis.zrange(name, 0, -1, withscores=True)
        case _:
            return redis.get(name)


def _put_value(pipeline: Any, name: str, value: Any) -> None:
    if isinstance(value, dict):
        pipeline.hset(name, mapping=value)
    elif isinstance(value, list):
        pipeline.zadd(name, dict(value))
    else:
        pipeline.set(name, value)
