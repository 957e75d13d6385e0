"""Checks whether the Redis server at REDIS_URL answers."""

from redis import Redis, RedisCluster
from redis.exceptions import RedisClusterException, RedisError

ANSWER_SECONDS = 2


class RedisUnreachableError(Exception):
    pass


def check_redis(url: str, *, cluster: bool) -> None:
    """Raise RedisUnreachableError if Redis does not answer."""
    connect = RedisCluster.from_url if cluster else Redis.from_url
    try:
        client = connect(url, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS)
        try:
            client.ping()
        finally:
            client.close()
    except (RedisError, RedisClusterException, OSError) as error:
        raise RedisUnreachableError(str(error)) from error
