"""Fixtures of the claims' fault tests: empty stores, and an index in two shards."""

import pytest

from tests.faults_claims.scene import Scene
from tests.support.memory_table import MemoryTable
from tests.support.redis_servers import Server
from waitlist_api import caretaking, rebuilding
from waitlist_api.records import entry, places

FEW_SHARDS = 2


@pytest.fixture(autouse=True)
def _few_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each shard costs a rebuild the same steps: two show all that sixteen would."""
    for module in (entry, places, rebuilding, caretaking):
        monkeypatch.setattr(module, "SHARDS", FEW_SHARDS)


@pytest.fixture
def scene(valkey: Server) -> Scene:
    """A desk at no waitlist yet, on empty stores."""
    return Scene(MemoryTable(), valkey.client)
