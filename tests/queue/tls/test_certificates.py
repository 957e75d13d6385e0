"""Tests that the private function connects to a Redis server only if the server's certificate is
valid for its host name.
"""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme

from tests.queue.test_hung_servers import LIMIT_SECONDS
from tests.queue.tls.servers import DOMAIN, PASSWORD, USER, Place, TlsServer, certified
from tests.support.line import Line, accepted
from tests.support.waits import waited_seconds
from tools.local.ports import HOST
from waitlist_queue.config import Config
from waitlist_queue.connections import connect

MISMATCH = "Hostname mismatch, certificate is not valid for"
REMEDY = "use the certificate's host name in REDIS_URL"
Refused = Callable[[str], str]


@pytest.fixture
def refused(place: Place, caplog: pytest.LogCaptureFixture) -> Refused:
    def ask(url: str) -> str:
        line = Line(None, connect=lambda: connect(place.config(url)))
        for answer in (line.init(), line.signup("ann"), line.handle({"v": 1, "op": "ping"})):
            assert answer["code"] == "queue_unavailable"
        batch = line.handle({"op": "batch", "requests": [line.message("stats")]})
        assert batch["code"] == "queue_unavailable"
        assert not [record for record in caplog.records if record.exc_info], "no traceback"
        assert PASSWORD not in caplog.text
        return caplog.text

    return ask


def first(place: Place) -> TlsServer:
    return place.nodes[0]


def test_a_server_with_the_right_certificate_is_spoken_to(place: Place) -> None:
    line = Line(None, connect=lambda: connect(place.config()))
    accepted(line.init())
    accepted(line.signup("ann"))


def test_an_unknown_authority_is_not_believed(
    place: Place, refused: Refused, tmp_path: Path
) -> None:
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(other)
    url = first(place).url().replace(first(place).authority, str(other))
    log = refused(url)
    assert "certificate verify failed" in log
    assert REMEDY in log


def test_without_an_authority_named_only_the_systems_are_believed(
    place: Place, refused: Refused
) -> None:
    log = refused(first(place).url().partition("?")[0])
    assert "certificate verify failed" in log
    assert "add ?ssl_ca_certs=FILE" in log


@pytest.mark.parametrize("host", [f"another.{DOMAIN}", HOST])
def test_a_certificate_for_another_host_is_not_believed(
    place: Place, refused: Refused, host: str
) -> None:
    log = refused(first(place).url(host=host))
    assert MISMATCH in log or "IP address mismatch" in log
    assert REMEDY in log


def test_a_node_that_is_announced_by_its_address_is_not_believed(
    cluster: Place, refused: Refused
) -> None:
    """A cluster may announce a node by its IP address.

    The node's certificate contains only its host name, so the client refuses to connect.
    """
    url = first(cluster).url()
    cluster.on_each("CONFIG", "SET", "cluster-preferred-endpoint-type", "ip")
    try:
        line = Line(None, connect=lambda: connect(cluster.config(url)))
        assert line.init()["code"] == "queue_unavailable"
    finally:
        cluster.on_each("CONFIG", "SET", "cluster-preferred-endpoint-type", "hostname")
    line = Line(None, connect=lambda: connect(cluster.config(url)))
    accepted(line.init())


def test_a_certificate_whose_time_is_over_is_not_believed(
    server: Place, authority: trustme.CA, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """When a server's certificate expires, the client refuses to connect, even if it has trusted
    the server before.
    """
    node = first(server)
    yesterday = datetime.now(UTC) - timedelta(days=1)
    old = certified(tmp_path, authority.issue_cert(node.host, not_after=yesterday))
    before = {name: node.client.config_get(name)[name] for name in old}
    line = Line(None, connect=lambda: connect(server.config()))
    accepted(line.init())
    change(node, old)
    try:
        close_connections(server)
        assert line.init()["code"] == "queue_unavailable"
    finally:
        change(node, before)
    assert "certificate has expired" in caplog.text
    accepted(line.init())


def test_the_authorities_are_read_once_for_all_connections(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading the list of certificate authorities takes a long time, so the client does not repeat
    it for each new connection (promise P9).
    """
    made: list[ssl.SSLContext] = []

    def make() -> ssl.SSLContext:
        made.append(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        return made[-1]

    monkeypatch.setattr(ssl, "create_default_context", make)
    line = Line(None, connect=lambda: connect(place.config()))
    for _ in range(3):
        accepted(line.init())
        close_connections(place)
    assert 0 < len(made) <= len(place.nodes)


def close_connections(place: Place) -> None:
    place.on_each("CLIENT", "KILL", "USER", USER)


def change(node: TlsServer, settings: dict[str, object]) -> None:
    # Change the certificate and the private key in one step. Redis refuses a private key that does
    # not match its certificate.
    pairs = [str(part) for pair in settings.items() for part in pair]
    node.client.execute_command("CONFIG", "SET", *pairs)


def test_a_server_with_tls_is_not_spoken_to_without(place: Place, refused: Refused) -> None:
    plain = first(place).url().replace("rediss://", "redis://").partition("?")[0]
    assert "Redis does not answer" in refused(plain)


def test_a_server_without_tls_gets_no_password(
    place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    """If the server does not speak TLS, the client sends neither its password nor anything else
    that could be read on the network (promise P8).
    """
    with eavesdropping_server() as (port, heard):
        url = (
            f"rediss://{USER}:secret@redis-0.{DOMAIN}:{port}?ssl_ca_certs={first(place).authority}"
        )
        line = Line(None, connect=lambda: connect(place.config(url)))
        assert line.init()["code"] == "queue_unavailable"
    assert heard
    assert not any(b"secret" in words or b"AUTH" in words for words in heard)


@contextmanager
def eavesdropping_server() -> Iterator[tuple[int, list[bytes]]]:
    heard: list[bytes] = []
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server((HOST, 0)))

        def listen() -> None:
            while True:
                try:
                    caller, _ = listener.accept()
                except OSError:
                    return
                with caller:
                    heard.append(caller.recv(65536))

        thread = threading.Thread(target=listen)
        thread.start()
        try:
            yield listener.getsockname()[1], heard
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


def test_a_server_that_never_shows_its_certificate_is_given_up_in_time(server: Place) -> None:
    """P9"""
    line = Line(None, connect=lambda: connect(server.config()))
    with first(server).silent():
        start = waited_seconds()
        assert line.init()["code"] == "queue_unavailable"
        assert waited_seconds() - start < LIMIT_SECONDS
    accepted(line.init())


def test_certificate_and_host_name_are_checked_by_default() -> None:
    config = Config("rediss://redis.example.com:6379", redis_cluster=False, log_level="INFO")
    client: Any = connect(config)
    connection = client.connection_pool.make_connection()
    assert (connection.cert_reqs, connection.check_hostname) == (ssl.CERT_REQUIRED, True)
