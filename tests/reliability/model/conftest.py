"""Provides the model checker with its own Redis server.

The service uses only a few index shards and a single thread.
"""

from collections.abc import Iterator

import pytest

from tests.reliability.model.testbed import Testbed
from tests.reliability.model.workers import a_testbed


@pytest.fixture(scope="module")
def testbed() -> Iterator[Testbed]:
    with a_testbed() as testbed:
        yield testbed
