from collections.abc import Iterator

import pytest

from tests.unit.cli.console.opened import Opened, api_of, opened
from tests.unit.cli.fake_service import FakeService


@pytest.fixture
def console(service_url: str) -> Iterator[Opened]:
    with opened(api_of(service_url)) as one:
        yield one


@pytest.fixture
def scripted(fake: FakeService) -> Iterator[Opened]:
    with opened(api_of(fake.url)) as one:
        yield one
