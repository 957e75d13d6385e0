"""Fixtures of the fault tests: empty stores, and a service that has few index shards and a single
thread.
"""

from collections.abc import Iterator

import pytest

from tests.reliability.faults.fixture import FaultFixture, Stores, TokenHolders
from tests.reliability.model.determinism import deterministic
from tests.support.redis_servers import Server
from tests.support.stale_index import StaleIndexTable


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    """Limit the service to few index shards and one thread, so that each test has few steps, which
    always come in the same order.
    """
    with deterministic():
        yield


@pytest.fixture
def stores(valkey: Server) -> Stores:
    """Return both stores, without any data."""
    return Stores(StaleIndexTable(), valkey.client)


@pytest.fixture
def fixture(stores: Stores) -> FaultFixture:
    """Return a fixture with a new waitlist that has no entries."""
    fixture = FaultFixture(stores)
    assert fixture.people.configure().status == 201
    fixture.wire.disarm()
    return fixture


@pytest.fixture
def elsewhere(fixture: FaultFixture) -> TokenHolders:
    """Return the same customers. Their requests go to a different process of the service."""
    return TokenHolders(fixture.stores.world(), names=fixture.people.names, stores=fixture.stores)
