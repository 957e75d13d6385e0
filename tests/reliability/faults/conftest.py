"""Fixtures of the fault tests: empty real stores, and a small service."""

from collections.abc import Iterator

import pytest

from tests.reliability.faults.scene import Scene, Stores
from tests.reliability.model.small_world import small_world
from tests.support.redis_servers import Server
from tests.support.stale_index import StaleIndexTable


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    """Steps come in the same order each time, and no more of them than show something."""
    with small_world():
        yield


@pytest.fixture
def stores(valkey: Server) -> Stores:
    """Both stores, empty."""
    return Stores(StaleIndexTable(), valkey.client)


@pytest.fixture
def scene(stores: Stores) -> Scene:
    """A new waitlist with nobody in it."""
    scene = Scene(stores)
    assert scene.people.configure().status == 201
    scene.wire.disarm()
    return scene
