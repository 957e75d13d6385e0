"""Fixtures for the fault tests.

They provide empty databases, and a service whose requests make few calls in a fixed order.
"""

from collections.abc import Iterator

import pytest

from tests.reliability.faults.fixture import FaultFixture, Stores, TokenHolders
from tests.reliability.model.determinism import deterministic
from tests.support.redis_servers import Server
from tests.support.stale_index import StaleIndexTable


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    """With few shards and a single thread, a request makes few calls, always in the same order."""
    with deterministic():
        yield


@pytest.fixture
def stores(valkey: Server) -> Stores:
    return Stores(StaleIndexTable(), valkey.client)


@pytest.fixture
def fixture(stores: Stores) -> FaultFixture:
    fixture = FaultFixture(stores)
    assert fixture.people.configure().status == 201
    fixture.wire.disarm()
    return fixture


@pytest.fixture
def elsewhere(fixture: FaultFixture) -> TokenHolders:
    return TokenHolders(fixture.stores.world(), names=fixture.people.names, stores=fixture.stores)
