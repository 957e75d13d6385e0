import secrets
from collections.abc import Iterator

import httpx
import pytest

from tests.e2e.callers import Customer, Operator, first_requests
from tests.e2e.processes import Service, running_service
from tools.local.operator import local_operator


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    with running_service() as service:
        yield service
    assert 2 * first_requests.refused <= first_requests.sent, first_requests


@pytest.fixture(scope="session")
def http(service: Service) -> Iterator[httpx.Client]:
    limits = httpx.Limits(max_connections=64)
    with httpx.Client(base_url=service.url, timeout=35, limits=limits, trust_env=False) as client:
        yield client


@pytest.fixture
def operator(http: httpx.Client) -> Operator:
    operator = Operator(http, local_operator(), f"e2e-{secrets.token_hex(4)}")
    assert operator.put({"name": "End to end"}).status_code in (200, 201)
    return operator


@pytest.fixture
def customer(http: httpx.Client, operator: Operator) -> Customer:
    return Customer(http, operator.waitlist_id)
