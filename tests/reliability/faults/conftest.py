"""Fixtures of the fault tests.

They provide empty databases, and a service that runs few steps in a fixed order.
"""

from collections.abc import Iterator

import pytest

from tests.reliability.faults.fixture import FaultFixture, Stores, TokenHolders
from tests.reliability.model.determinism import deterministic
from tests.support.redis_servers import Server
from tests.support.stale_index import StaleIndexTable


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    """Let the service use only a few shards of the index and a single thread.

    The tests then have few steps, always in the same order.
    """
    with deterministic():
        yield


@pytest.fixture
def stores(valkey: Server) -> Stores:
    """Return both stores, without any data."""
    return Stores(StaleIndexTable(), valkey.client)


@pytest.fixture
def fixture(stores: Stores) -> FaultFixture:
    """Return the fixture with a new waitlist that has no entries."""
    fixture = FaultFixture(stores)
    assert fixture.people.configure().status == 201
    fixture.wire.disarm()
    return fixture


@pytest.fixture
def elsewhere(fixture: FaultFixture) -> TokenHolders:
    """Return the same customers with a connection to another process of the service."""
    return TokenHolders(fixture.stores.world(), names=fixture.people.names, stores=fixture.stores)
