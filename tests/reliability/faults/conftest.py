"""Fixtures of the fault tests: empty real stores, and a small service."""

from collections.abc import Iterator

import pytest

from tests.reliability.faults.fixture import FaultFixture, Stores
from tests.reliability.model.determinism import deterministic
from tests.support.redis_servers import Server
from tests.support.stale_index import StaleIndexTable


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    """Steps come in the same order each time, and no more of them than show something."""
    with deterministic():
        yield


@pytest.fixture
def stores(valkey: Server) -> Stores:
    """Both stores, empty."""
    return Stores(StaleIndexTable(), valkey.client)


@pytest.fixture
def fixture(stores: Stores) -> FaultFixture:
    """A new waitlist with nobody in it."""
    fixture = FaultFixture(stores)
    assert fixture.people.configure().status == 201
    fixture.wire.disarm()
    return fixture
