"""An empty Redis database for each test."""

import atexit
from contextlib import ExitStack
from functools import cache
from itertools import cycle
from typing import Any

from redis import Redis

from tests.support.redis_servers import Server, running_server

# Each call to `empty_redis` takes the next database, so a test can use several at the same time.
DATABASES = cycle(range(16))


def empty_redis() -> Any:
    """Return a client for its own database on the one Redis server that all tests share."""
    client = _client(next(DATABASES))
    client.flushdb()
    return client


@cache
def _client(database: int) -> Any:
    return Redis(port=_server().port, db=database, decode_responses=True)


@cache
def _server() -> Server:
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(running_server())
