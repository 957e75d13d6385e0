"""Runs some tests in the `behaviour` folder on a Redis cluster.

They run every script with every outcome, and batches of requests. `make test-tls` runs
all tests in the folder on a Redis cluster.
"""

from typing import Any

import pytest

from tests.queue.behaviour import suite
from tests.support.line import Line
from tests.support.redis_servers import Cluster


@pytest.fixture
def line(cluster: Cluster, cluster_client: Any) -> Line:
    return Line(cluster_client)


globals().update(suite("batching", "outcomes"))
