"""Fixtures of the claims' fault tests: empty stores, and a small service."""

from collections.abc import Iterator

import pytest

from tests.reliability.claim_faults.scene import Scene
from tests.reliability.model.small_world import small_world
from tests.support.redis_servers import Server
from tools.local.dynamodb.memory_table import MemoryTable


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    """Steps come in the same order each time, and no more of them than show something."""
    with small_world():
        yield


@pytest.fixture
def scene(valkey: Server) -> Scene:
    """A desk at no waitlist yet, on empty stores."""
    return Scene(MemoryTable(), valkey.client)
