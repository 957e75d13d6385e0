"""Tests commands that Redis refuses.

The response is `queue_unavailable` if a retry can help, and `internal_error` otherwise.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.line import Answer, Line, accepted
from tests.support.redis_servers import Server
from tools.local.ports import HOST

WRITES = ["signup", "leave", "drop", "bump", "back", "restore"]


@pytest.fixture
def filled(valkey: Server) -> Line:
    line = Line(valkey.client)
    line.init()
    line.all_sign_up(["ann", "bob", "eve"])
    return line


def write(line: Line, verb: str) -> Answer:
    if verb == "signup":
        return line.signup("zoe")
    if verb == "bump":
        return line.bump("eve", to="front")
    if verb == "back":
        return line.bump("ann", to="back")
    if verb == "restore":
        return line.restore("zoe", rank=5, ticket=5, once_key="0" * 32, once_stamp=5)
    return line.leave("ann") if verb == "leave" else line.drop("ann")


@contextmanager
def no_memory_left(server: Server) -> Iterator[None]:
    server.client.config_set("maxmemory", 1)
    try:
        yield
    finally:
        server.client.config_set("maxmemory", 0)


@contextmanager
def a_replica_by_now(server: Server) -> Iterator[None]:
    """Make the server a replica, which refuses all writes. A failover does the same to the former
    primary.
    """
    server.client.execute_command("REPLICAOF", HOST, 1)
    try:
        yield
    finally:
        server.client.execute_command("REPLICAOF", "NO", "ONE")


@pytest.mark.parametrize("verb", WRITES)
def test_a_full_memory_is_an_outage_and_changes_nothing(
    valkey: Server, filled: Line, verb: str
) -> None:
    """If Redis has run out of memory, no script may stop halfway (promises P2 and P5)."""
    before = filled.contents()
    with no_memory_left(valkey):
        assert write(filled, verb)["code"] == "queue_unavailable"
    assert filled.contents() == before
    assert write(filled, verb)["ok"]


def test_a_full_memory_refuses_a_completion_and_the_next_claim_and_changes_nothing(
    valkey: Server, filled: Line
) -> None:
    """If Redis has run out of memory, a message that runs several scripts changes nothing (promises
    P3 and P4).
    """
    token = filled.claimed()["ann"]["token"]
    completion = filled.message("complete", entry_id=filled.id_of("ann"), token=token)
    pair = {"op": "batch", "requests": [completion, filled.message("claim")]}
    before = filled.contents()
    with no_memory_left(valkey):
        assert filled.handle(pair)["code"] == "queue_unavailable"
    assert filled.contents() == before
    answers = accepted(filled.handle(pair))["results"]
    assert [answer["outcome"] for answer in answers] == ["completed", "claimed"]


def test_positions_are_returned_though_the_memory_is_full(valkey: Server, filled: Line) -> None:
    """P6"""
    with no_memory_left(valkey):
        assert filled.position("bob")["position"] == 2


@pytest.mark.parametrize("verb", WRITES)
def test_a_demoted_primary_is_an_outage_and_changes_nothing(
    valkey: Server, filled: Line, verb: str
) -> None:
    """P3, P5"""
    before = filled.contents()
    with a_replica_by_now(valkey):
        assert write(filled, verb)["code"] == "queue_unavailable"
    assert filled.contents() == before
    assert write(filled, verb)["ok"]


def test_a_broken_script_is_a_defect_that_the_log_explains(
    filled: Line, caplog: pytest.LogCaptureFixture
) -> None:
    """If a script has a bug, the log contains the traceback, and the response does not (promise
    P5).
    """
    queue = "wl:{bakery-opening}:queue"
    filled.client.delete(queue)
    filled.client.set(queue, "not a sorted set")
    with caplog.at_level(logging.ERROR):
        answer = filled.signup("zoe")
    assert answer["code"] == "internal_error"
    assert "WRONGTYPE" not in answer["message"]
    assert "WRONGTYPE" in caplog.text


def test_a_broken_script_in_a_batch_is_a_defect_too(filled: Line) -> None:
    queue = "wl:{bakery-opening}:queue"
    filled.client.delete(queue)
    filled.client.set(queue, "not a sorted set")
    request = filled.message("signup", **filled.stay("zoe"))
    assert filled.handle({"op": "batch", "requests": [request]})["code"] == "internal_error"
