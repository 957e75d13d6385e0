"""A former state of Redis, to be put back: what a replica that lagged behind has."""

from dataclasses import dataclass
from typing import Any, Self

from tests.support.snapshot import put_value, value_of


@dataclass(frozen=True)
class RedisPast:
    """All keys of Redis at one moment; times to live are not kept."""

    redis: Any
    keys: dict[str, Any]

    @classmethod
    def of(cls, redis: Any) -> Self:
        """Remember what Redis holds now."""
        return cls(redis, {name: value_of(redis, name) for name in redis.keys("*")})

    def put_back(self) -> None:
        """Make Redis what it was."""
        pipeline = self.redis.pipeline()
        pipeline.flushall()
        for name, value in self.keys.items():
            put_value(pipeline, name, value)
        pipeline.execute()
