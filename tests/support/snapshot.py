"""The complete contents of DynamoDB and Redis. Tests compare them and restore them."""

from dataclasses import dataclass
from typing import Any, Self

from tests.support.dynamodb import TABLE
from tools.local.dynamodb.items import Item, Key
from tools.local.dynamodb.memory_table import MemoryTable


@dataclass(frozen=True)
class RedisState:
    """The value of each key in Redis. The expiry times are not included."""

    keys: dict[str, Any]

    @classmethod
    def of(cls, redis: Any) -> Self:
        """Return the state of all keys."""
        return cls({name: _value_of(redis, name) for name in sorted(redis.keys("*"))})

    def restore(self, redis: Any) -> None:
        """Replace all keys in Redis, as a failover to a replica that lags behind might do."""
        pipeline = redis.pipeline()
        pipeline.flushall()
        for name, value in self.keys.items():
            _put_value(pipeline, name, value)
        pipeline.execute()


@dataclass(frozen=True)
class Snapshot:
    """The items of the table by key, and the values in Redis."""

    items: dict[Key, Item]
    redis: RedisState

    @classmethod
    def of(cls, dynamodb: Any, redis: Any) -> Self:
        """Return the current contents of DynamoDB and Redis."""
        items = {(item["pk"]["S"], item["sk"]["S"]): item for item in _scan(dynamodb)}
        return cls(items, RedisState.of(redis))

    def restore(self, table: MemoryTable, redis: Any) -> None:
        """Replace the current contents of DynamoDB and Redis with these contents."""
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
    """Return a key's value."""
    match redis.type(name):
        case "hash":
            return redis.hgetall(name)
        case "zset":
            return redis.zrange(name, 0, -1, withscores=True)
        case _:
            return redis.get(name)


def _put_value(pipeline: Any, name: str, value: Any) -> None:
    """Write a value that `_value_of` has returned."""
    if isinstance(value, dict):
        pipeline.hset(name, mapping=value)
    elif isinstance(value, list):
        pipeline.zadd(name, dict(value))
    else:
        pipeline.set(name, value)
