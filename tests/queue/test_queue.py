"""Runs the tests in the `behaviour` folder on a single Redis server."""

from typing import Any

import pytest

from tests.queue.behaviour import suite
from tests.support.line import Line
from tests.support.redis_servers import Server


@pytest.fixture
def line(valkey: Server, valkey_client: Any) -> Line:
    return Line(valkey_client)


globals().update(suite())
