from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.line import Line
from tests.support.redis_servers import Cluster, Server
from waitlist_queue.config import Config
from waitlist_queue.connections import connect


@pytest.fixture(scope="session")
def valkey_client(valkey_session: Server) -> Iterator[Any]:
    yield from _client(valkey_session.url, cluster=False)


@pytest.fixture(scope="session")
def cluster_client(cluster_session: Cluster) -> Iterator[Any]:
    yield from _client(cluster_session.url, cluster=True)


def _client(url: str, cluster: bool) -> Iterator[Any]:
    client: Any = connect(Config(redis_url=url, redis_cluster=cluster, log_level="INFO"))
    yield client
    client.close()


@pytest.fixture(params=["valkey", "cluster"])
def line(request: pytest.FixtureRequest) -> Line:
    request.getfixturevalue(request.param)
    return Line(request.getfixturevalue(f"{request.param}_client"))
