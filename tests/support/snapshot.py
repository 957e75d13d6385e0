"""The whole state of both stores, to put back or to compare."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from local.table import create_table_request
from tests.support.dynamodb import TABLE

PAGE = 25


@dataclass(frozen=True)
class Snapshot:
    """All items of the table by key, and all keys of Redis by name."""

    items: dict[tuple[str, str], dict[str, Any]]
    keys: dict[str, Any]

    @classmethod
    def of(cls, dynamodb: Any, redis: Any) -> "Snapshot":
        """Read everything."""
        items = {_key(item): item for item in _scan(dynamodb)}
        return cls(items, {name: _value(redis, name) for name in sorted(redis.keys("*"))})

    def restore(self, dynamodb: Any, redis: Any) -> None:
        """Make the stores what they were; times to live are not brought back."""
        # A new table: with each transaction moto copies the stream of everything ever written.
        dynamodb.delete_table(TableName=TABLE)
        dynamodb.create_table(**_table_request())
        _write(dynamodb, [{"PutRequest": {"Item": item}} for item in self.items.values()])
        pipeline = redis.pipeline()
        pipeline.flushall()
        for name, value in self.keys.items():
            _put(pipeline, name, value)
        pipeline.execute()


@cache
def _table_request() -> dict[str, Any]:
    return create_table_request(TABLE)


def _scan(dynamodb: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    start: dict[str, Any] = {}
    while True:
        answer = dynamodb.scan(TableName=TABLE, ConsistentRead=True, **start)
        found += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return found
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def _key(item: dict[str, Any]) -> tuple[str, str]:
    return item["pk"]["S"], item["sk"]["S"]


def _write(dynamodb: Any, requests: list[dict[str, Any]]) -> None:
    for start in range(0, len(requests), PAGE):
        dynamodb.batch_write_item(RequestItems={TABLE: requests[start : start + PAGE]})


def _value(redis: Any, name: str) -> Any:
    match redis.type(name):
        case "hash":
            return redis.hgetall(name)
        case "zset":
            return redis.zrange(name, 0, -1, withscores=True)
        case _:
            return redis.get(name)


def _put(pipeline: Any, name: str, value: Any) -> None:
    if isinstance(value, dict):
        pipeline.hset(name, mapping=value)
    elif isinstance(value, list):
        pipeline.zadd(name, dict(value))
    else:
        pipeline.set(name, value)
