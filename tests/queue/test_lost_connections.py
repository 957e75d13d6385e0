"""Tests calls that lose their connection to Redis.

A call is retried once, after a random pause, so that many callers do not retry at the same moment.
"""

from collections.abc import Callable

import pytest

from tests.support.line import Line, accepted
from tests.support.redis_servers import Cluster, Server, waitlist_on
from waitlist_queue.config import Config
from waitlist_queue.connections import PAUSE_SECONDS, connect

LOSSES = 20
Lose = Callable[[], object]


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list of the pauses before retries, in seconds. In tests, a pause takes no time."""
    found: list[float] = []
    monkeypatch.setattr("waitlist_queue.deadline.time.sleep", found.append)
    return found


def line_on(url: str, *, cluster: bool, waitlist_id: str) -> Line:
    config = Config(redis_url=url, redis_cluster=cluster, log_level="INFO")
    line = Line(None, waitlist_id=waitlist_id, connect=lambda: connect(config))
    accepted(line.init())
    return line


def check(line: Line, lose: Lose, pauses: list[float]) -> None:
    accepted(line.signup("ann"))
    assert pauses == [], "nothing is lost yet"
    for _ in range(LOSSES):
        lose()
        assert accepted(line.position("ann"))["position"] == 1
    assert len(pauses) >= LOSSES
    assert len(set(pauses)) == len(pauses)
    assert all(0 <= pause <= PAUSE_SECONDS for pause in pauses)


def test_a_server_that_drops_connections_is_asked_again_after_a_pause(
    valkey: Server, pauses: list[float]
) -> None:
    """P9"""
    line = line_on(valkey.url, cluster=False, waitlist_id="list-0")
    check(line, lambda: valkey.client.client_kill_filter(skipme=True), pauses)


def test_a_node_that_drops_connections_is_asked_again_after_a_pause(
    cluster: Cluster, pauses: list[float]
) -> None:
    """P9"""
    node = cluster.nodes[0]
    line = line_on(cluster.url, cluster=True, waitlist_id=waitlist_on(cluster, node))

    def lose() -> None:
        for one in cluster.nodes:
            one.client.client_kill_filter(_type="normal", skipme=True)

    check(line, lose, pauses)
