"""A testbed on a server of its own; as long as it stands the service is small and of one thread."""

from collections.abc import Iterator

import pytest

from tests.reliability.model.testbed import Testbed
from tests.reliability.model.workers import a_testbed


@pytest.fixture(scope="module")
def testbed() -> Iterator[Testbed]:
    with a_testbed() as testbed:
        yield testbed
