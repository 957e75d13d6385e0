"""Fixtures of the fault tests: empty real stores, and an index in two shards."""

import pytest

from tests.faults.scene import Scene, Stores
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
def stores(valkey: Server) -> Stores:
    """Both stores, empty."""
    return Stores(MemoryTable(), valkey.client)


@pytest.fixture
def scene(stores: Stores) -> Scene:
    """A new waitlist with nobody in it."""
    scene = Scene(stores)
    assert scene.people.configure().status == 201
    scene.wire.disarm()
    return scene
