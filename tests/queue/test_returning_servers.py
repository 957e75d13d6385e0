"""Tests that the private function can use a Redis server again as soon as the server has restarted
or has lost its scripts.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.line import Answer, Line, accepted
from tests.support.redis_servers import Server, running_server
from waitlist_queue.config import Config
from waitlist_queue.connections import connect


@pytest.fixture
def own_server() -> Iterator[Server]:
    """Unlike the shared servers, this server may be stopped by the test."""
    with running_server() as server:
        yield server


@pytest.fixture
def own_line(own_server: Server) -> Line:
    config = Config(redis_url=own_server.url, redis_cluster=False, log_level="INFO")
    return Line(own_server.client, connect=lambda: connect(config))


def batch_of_signups(line: Line, *names: str) -> list[dict[str, Any]]:
    requests = [line.message("signup", **line.stay(name)) for name in names]
    results: list[dict[str, Any]] = accepted(line.handle({"op": "batch", "requests": requests}))[
        "results"
    ]
    return results


def test_after_a_restart_the_very_next_call_is_answered(own_server: Server, own_line: Line) -> None:
    """After a restart without data, Redis must not treat the lost queue as empty, because the next
    person would then get position 1 (promise P7).
    """
    own_line.init()
    own_line.all_sign_up(["ann", "bob"])
    own_server.restart()
    assert own_line.signup("eve")["code"] == "cold"
    assert own_line.position("bob")["code"] == "cold"
    accepted(own_line.init())
    assert own_line.signup("eve")["outcome"] == "joined"


def test_after_a_restart_the_very_next_batch_is_answered(
    own_server: Server, own_line: Line
) -> None:
    own_line.init()
    batch_of_signups(own_line, "ann", "bob")
    own_server.restart()
    answers = batch_of_signups(own_line, "ann", "bob")
    assert [answer["code"] for answer in answers] == ["cold", "cold"]


def test_while_the_server_is_down_calls_are_refused_and_afterwards_they_work(
    own_server: Server, own_line: Line
) -> None:
    own_line.init()
    own_server.process.stop()
    assert own_line.signup("ann")["code"] == "queue_unavailable"
    own_server.start()
    accepted(own_line.init())
    assert own_line.signup("ann")["outcome"] == "joined"


def test_forgotten_scripts_are_sent_again(line: Line) -> None:
    """P2"""
    steps: list[Callable[[], Answer]] = [
        line.init,
        lambda: line.signup("ann"),
        lambda: line.signup("bob"),
        lambda: line.bump("bob", to="front"),
        lambda: line.position("bob"),
        line.list_waiting,
        line.stats,
        lambda: line.leave("bob"),
        lambda: line.drop("bob"),
        lambda: line.restore("eve", rank=5, ticket=5),
        lambda: line.send("purge"),
    ]
    for step in steps:
        line.client.script_flush()
        accepted(step())


class ForgetfulPipeline:
    """A Redis pipeline that deletes all scripts on the server just before one of its commands."""

    def __init__(self, pipeline: Any, flush_before: int) -> None:
        self._pipeline = pipeline
        self._flush_before = flush_before
        self._queued = 0

    def execute_command(self, *arguments: object) -> None:
        if self._queued == self._flush_before:
            self._pipeline.execute_command("SCRIPT", "FLUSH")
        self._pipeline.execute_command(*arguments)
        self._queued += 1

    def execute(self, raise_on_error: bool) -> list[Any]:
        replies: list[Any] = self._pipeline.execute(raise_on_error=raise_on_error)
        assert replies.pop(self._flush_before) in (True, "OK", b"OK")
        return replies


class ForgetfulClient:
    def __init__(self, client: Any, flush_before: int) -> None:
        self._client = client
        self._flush_before = flush_before

    def execute_command(self, *arguments: object) -> Any:
        return self._client.execute_command(*arguments)

    def pipeline(self, transaction: bool) -> ForgetfulPipeline:
        return ForgetfulPipeline(self._client.pipeline(transaction=transaction), self._flush_before)


@pytest.mark.parametrize("flush_before", [0, 1, 2, 7, 39])
@pytest.mark.parametrize("is_of_a_node", [False, True])
def test_scripts_may_be_forgotten_inside_a_batch(
    valkey: Server, flush_before: int, is_of_a_node: bool
) -> None:
    """If Redis loses its scripts in the middle of a batch, no entry is lost, overtakes another
    entry, or gets two places (promises P1 and P2).
    """
    config = Config(redis_url=valkey.url, redis_cluster=False, log_level="INFO")
    # The cluster client in redis-py uses an ordinary client for each node. The test replaces this
    # ordinary client.
    client = ForgetfulClient(valkey.client if is_of_a_node else connect(config), flush_before)
    line = Line(valkey.client, connect=lambda: client)
    line.init()
    names = [f"person {number}" for number in range(20)]
    requests = []
    for name in names:
        requests.append(line.message("signup", **line.stay(name)))
        requests.append(line.message("position", entry_id=line.id_of(name)))
    results = accepted(line.handle({"op": "batch", "requests": requests}))["results"]
    assert [answer["outcome"] for answer in results[::2]] == ["joined"] * 20
    assert [answer["position"] for answer in results[::2]] == list(range(1, 21))
    assert line.order() == names
