"""Fixtures of the contract tests: the handler of the real private function, and both functions on
empty stores.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.lambdas import PRIVATE, InProcessLambda
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from waitlist_api.queue.client import QueueClient
from waitlist_queue import app

Handler = Callable[[Any], Any]


@pytest.fixture
def redis() -> Any:
    """The Redis server that the private function uses."""
    return empty_redis()


@pytest.fixture
def private_handler(redis: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Handler]:
    """The entry point of the private function. Its Redis server runs in the same process."""
    monkeypatch.setenv("REDIS_URL", "redis://queue.example.com:6379")
    monkeypatch.setattr(app, "connect", lambda _: redis)
    app.service.cache_clear()
    yield lambda message: app.lambda_handler(message, None)
    app.service.cache_clear()


@pytest.fixture
def queue(private_handler: Handler) -> QueueClient:
    """The public function's client for the private function."""
    return QueueClient(InProcessLambda(private_handler), PRIVATE)


@pytest.fixture
def table() -> Any:
    """A DynamoDB client of an empty table."""
    return new_table()
