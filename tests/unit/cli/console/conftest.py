from collections.abc import Iterator

import pytest

from tests.e2e.processes import Service
from tests.unit.cli.console.opened import Opened, api_of, opened
from tests.unit.cli.fake_service import FakeService


@pytest.fixture
def console(cli_service: Service) -> Iterator[Opened]:
    """The console of the real local service."""
    with opened(api_of(cli_service.url)) as one:
        yield one


@pytest.fixture
def scripted(fake: FakeService) -> Iterator[Opened]:
    """The console of a stand-in that answers as a test wants it to."""
    with opened(api_of(fake.url)) as one:
        yield one
