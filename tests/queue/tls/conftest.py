"""Fixtures for `make test-tls`.

They start Redis servers with certificates that are created for each run.
"""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
import trustme
from redis.cluster import RedisCluster

from tests.queue.tls.servers import ADMIN, ADMIN_PASSWORD, DOMAIN, Place, running
from tests.support.line import Line
from tools.local.ports import HOST
from waitlist_queue.connections import connect

PLACES = ["server", "cluster"]


@pytest.fixture(scope="session", autouse=True)
def _names() -> Iterator[None]:
    look_up = socket.getaddrinfo

    def here(host: Any, *arguments: Any, **options: Any) -> Any:
        is_ours = isinstance(host, str) and host.endswith(f".{DOMAIN}")
        return look_up(HOST if is_ours else host, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", here)
        yield


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="session")
def server_session(
    tmp_path_factory: pytest.TempPathFactory, authority: trustme.CA, _names: None
) -> Iterator[Place]:
    with running(tmp_path_factory.mktemp("server"), authority) as place:
        yield place


@pytest.fixture(scope="session")
def cluster_session(
    tmp_path_factory: pytest.TempPathFactory, authority: trustme.CA, _names: None
) -> Iterator[Place]:
    with running(tmp_path_factory.mktemp("cluster"), authority, nodes=3) as place:
        yield place


@pytest.fixture
def server(server_session: Place) -> Place:
    server_session.empty()
    return server_session


@pytest.fixture
def cluster(cluster_session: Place) -> Place:
    cluster_session.empty()
    return cluster_session


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> Place:
    found: Place = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def of_server(server_session: Place) -> Iterator[dict[str, Any]]:
    yield from _clients(server_session)


@pytest.fixture(scope="session")
def of_cluster(cluster_session: Place) -> Iterator[dict[str, Any]]:
    yield from _clients(cluster_session)


def _clients(place: Place) -> Iterator[dict[str, Any]]:
    first = place.nodes[0]
    client: Any = connect(place.config())
    admin: Any = first.client
    if place.is_cluster:
        url = first.url(ADMIN, ADMIN_PASSWORD)
        admin = RedisCluster.from_url(url, decode_responses=True, protocol=2)
    yield {"client": client, "admin": admin}
    client.close()
    admin.close()


@pytest.fixture
def line(request: pytest.FixtureRequest, place: Place) -> Iterator[Line]:
    """Fail a test that uses this fixture if Redis has denied the user a command."""
    name = "cluster" if place.is_cluster else "server"
    clients = request.getfixturevalue(f"of_{name}")
    yield Line(clients["admin"], connect=lambda: clients["client"])
    assert place.on_each("ACL", "LOG") == [[] for _ in place.nodes]
