"""An empty Redis for each test."""

from typing import Any

import fakeredis


def fake_redis() -> Any:
    """Return a Redis of its own, in this process."""
    return fakeredis.FakeRedis(server=fakeredis.FakeServer(), decode_responses=True)
