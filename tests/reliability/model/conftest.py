"""A stage on a server of its own; as long as it stands the service is small and of one thread."""

from collections.abc import Iterator

import pytest

from tests.reliability.model.stage import Stage
from tests.reliability.model.workers import a_stage


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with a_stage() as stage:
        yield stage
