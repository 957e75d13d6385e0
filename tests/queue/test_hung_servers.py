"""Tests a Redis server that does not answer.

Each call must return `queue_unavailable` before its caller times out. The tests measure simulated
time, so the results do not depend on how busy the machine is (`tests/support/waits.py`).
"""

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.line import Answer, Line, accepted
from tests.support.redis_servers import Cluster, Server, hung, waitlist_on
from tests.support.waits import silent, waited_seconds
from tools.local.ports import HOST
from waitlist_queue.config import Config
from waitlist_queue.connections import connect

LIMIT_SECONDS = 2.0
Question = Callable[[Line], Answer]
Timed = tuple[Answer, float]


def line_on(url: str, *, cluster: bool, client: Any = None, waitlist_id: str = "list-0") -> Line:
    config = Config(redis_url=url, redis_cluster=cluster, log_level="INFO")
    return Line(client, waitlist_id=waitlist_id, connect=lambda: connect(config))


def signup(line: Line) -> Answer:
    return line.signup("ann")


def ping(line: Line) -> Answer:
    return line.handle({"v": 1, "op": "ping"})


def batch(line: Line) -> Answer:
    requests = [line.message("leave", **line.stay(f"person {number}")) for number in range(500)]
    return line.handle({"v": 1, "op": "batch", "requests": requests})


QUESTIONS: list[Question] = [signup, batch, ping]


def ask(line: Line, question: Question) -> Timed:
    start = waited_seconds()
    answer = question(line)
    return answer, waited_seconds() - start


def ask_at_once(lines: list[Line]) -> list[Timed]:
    with ThreadPoolExecutor(len(lines)) as pool:
        return list(pool.map(ask, lines, QUESTIONS[: len(lines)]))


def assert_unavailable(timed: list[Timed]) -> None:
    for answer, seconds in timed:
        assert (answer["ok"], answer.get("code")) == (False, "queue_unavailable")
        assert seconds < LIMIT_SECONDS


@pytest.mark.parametrize("engine", ["valkey", "cluster"])
@pytest.mark.parametrize("connected", [True, False], ids=["connected", "not connected"])
def test_a_hung_server_is_answered_for_in_time(
    request: pytest.FixtureRequest, connected: bool, engine: str
) -> None:
    """If no node of a cluster responds, each call fails within its time limit.

    Once the nodes respond again, the service works again (promises P3 and P9).
    """
    server: Server | Cluster = request.getfixturevalue(engine)
    lines = [line_on(server.url, cluster=engine == "cluster") for _ in QUESTIONS]
    if connected:
        for line in lines:
            accepted(line.init())
    with hung(*(server.nodes if isinstance(server, Cluster) else [server])):
        assert_unavailable(ask_at_once(lines))
    for line in lines:
        accepted(line.init())
        assert accepted(line.signup("zoe"))["outcome"] in ("joined", "already")


@pytest.mark.parametrize("connected", [True, False], ids=["connected", "not connected"])
def test_one_hung_node_is_answered_for_in_time(cluster: Cluster, connected: bool) -> None:
    """If one node does not respond, each call still ends within its time limit, even if the client
    asks this node first (promises P3 and P9).
    """
    first = cluster.nodes[0]
    mine = waitlist_on(cluster, first)
    lines = [line_on(first.url, cluster=True, waitlist_id=mine) for _ in (signup, batch)]
    if connected:
        for line in lines:
            accepted(line.init())
    with hung(first):
        assert_unavailable(ask_at_once(lines))
    for line in lines:
        accepted(line.init())


def test_waitlists_on_other_nodes_go_on(cluster: Cluster) -> None:
    """If one node does not respond, waitlists on other nodes are still served, even by a batch that
    needs three nodes (promise P9).
    """
    lines = [
        line_on(cluster.url, cluster=True, waitlist_id=waitlist_on(cluster, node))
        for node in cluster.nodes
    ]
    for line in lines:
        accepted(line.init())
    requests = [line.message("signup", **line.stay("ann")) for line in lines]
    for node in cluster.nodes:
        node.client.script_flush()
    with hung(cluster.nodes[1]):
        answer, seconds = ask(
            lines[0], lambda line: line.handle({"op": "batch", "requests": requests})
        )
        assert accepted(lines[0].signup("ann"))["outcome"] == "already"
    assert seconds < LIMIT_SECONDS
    first, hanging, last = answer["results"]
    assert hanging["code"] == "queue_unavailable"
    assert {accepted(one)["outcome"] for one in (first, last)} <= {"joined", "already"}


def test_a_late_answer_does_not_answer_the_next_request(valkey: Server) -> None:
    """A response that arrives too late is ignored, and the next call gets the right response
    (promise P6).
    """
    line = line_on(valkey.url, cluster=False)
    accepted(line.init())
    for name in ("ann", "bob"):
        accepted(line.signup(name))
    with hung(valkey):
        assert line.position("ann")["code"] == "queue_unavailable"
    assert accepted(line.position("bob"))["position"] == 2
    assert accepted(line.position("ann"))["position"] == 1


@pytest.mark.parametrize("cluster", [False, True], ids=["server", "cluster"])
def test_a_refused_connection_is_reported_at_once(cluster: bool) -> None:
    lines = [line_on(f"redis://{HOST}:1", cluster=cluster) for _ in QUESTIONS]
    assert_unavailable(ask_at_once(lines))


@pytest.mark.parametrize("scheme", ["redis", "rediss"])
@pytest.mark.parametrize("cluster", [False, True], ids=["server", "cluster"])
def test_a_host_that_sends_nothing_is_answered_for_in_time(scheme: str, cluster: bool) -> None:
    """If a host accepts a connection and then sends nothing, the call ends within its time limit.

    With TLS, the host does not even answer the handshake (promise P9).
    """
    with listener(backlog=16) as port:
        lines = [line_on(f"{scheme}://{HOST}:{port}", cluster=cluster) for _ in QUESTIONS]
        assert_unavailable(ask_at_once(lines))


def test_hosts_that_take_no_connection_are_answered_for_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If a host name has several addresses and none of them accepts a connection, the call still
    ends within its time limit (promise P9).
    """
    with listener(backlog=0) as port, ThreadPoolExecutor() as pool:
        waiting = [pool.submit(_connects, port) for _ in range(4)]
        assert not all(future.result() for future in waiting), "the listener takes them all"
        address = (socket.AF_INET, socket.SOCK_STREAM, 6, "", (HOST, port))
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_arguments: [address] * 5)
        line = line_on("redis://many-addresses:6379", cluster=False)
        assert_unavailable([ask(line, signup)])


def _connects(port: int) -> bool:
    filler = socket.socket()
    filler.settimeout(0.3)
    try:
        filler.connect((HOST, port))
    except TimeoutError:
        filler.close()
        return False
    _kept_open.append(filler)
    return True


_kept_open: list[socket.socket] = []


@contextmanager
def listener(backlog: int) -> Iterator[int]:
    with socket.socket() as listening:
        listening.bind((HOST, 0))
        listening.listen(backlog)
        port = listening.getsockname()[1]
        with silent(port):
            yield port
    while _kept_open:
        _kept_open.pop().close()
