"""Fixtures for the contract tests: the private function's handler, and both functions on empty
stores.
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
    return empty_redis()


@pytest.fixture
def private_handler(redis: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Handler]:
    monkeypatch.setenv("REDIS_URL", "redis://queue.example.com:6379")
    monkeypatch.setattr(app, "connect", lambda _: redis)
    app.service.cache_clear()
    yield lambda message: app.lambda_handler(message, None)
    app.service.cache_clear()


@pytest.fixture
def queue(private_handler: Handler) -> QueueClient:
    return QueueClient(InProcessLambda(private_handler), PRIVATE)


@pytest.fixture
def table() -> Any:
    return new_table()
