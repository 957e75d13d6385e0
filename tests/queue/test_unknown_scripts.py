"""Tests a script that the Redis server does not have.

The private function sends the script's source on the same connection.
"""

from typing import Any

import pytest

from tests.queue.test_bounded_work import calls_during
from tests.support.line import Answer, Line, accepted
from tests.support.redis_servers import Server
from waitlist_queue.config import Config
from waitlist_queue.connections import connect


@pytest.fixture
def own_line(valkey: Server) -> Line:
    config = Config(redis_url=valkey.url, redis_cluster=False, log_level="INFO")
    line = Line(valkey.client, connect=lambda: connect(config))
    accepted(line.init())
    return line


def test_a_script_that_must_be_sent_whole_takes_no_second_connection(
    valkey: Server, own_line: Line
) -> None:
    """A script's source is sent on the same connection as the request.

    The client needs no second connection, even if many callers start at once (promise P9).
    """
    before = connections_made(valkey)
    valkey.client.script_flush()
    accepted(own_line.init())
    accepted(own_line.signup("ann"))
    assert connections_made(valkey) == before


def test_in_a_batch_only_requests_that_others_wait_for_are_sent_whole(
    valkey: Server, own_line: Line
) -> None:
    """A batch's requests must run in order even if Redis lacks a script, so the private function
    sends the script's source if other requests follow (promise P9).
    """
    own_line.all_sign_up(["ann"])
    ann = own_line.message("position", entry_id=own_line.id_of("ann"))
    batch(own_line, ann, own_line.message("stats"))
    calls = calls_during(valkey, lambda: batch(own_line, ann, ann, own_line.message("stats")))
    assert (calls["eval"], calls["evalsha"]) == (1, 2)


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_a_completion_and_the_claim_of_the_next_come_in_this_order(
    valkey: Server, own_line: Line, is_forgotten: bool
) -> None:
    """A worker completes a claim and makes the next one in a single message.

    The two requests run in this order, even if the server has lost its scripts (promises P1 and
    P4).
    """
    completion_and_claim = completion_and_next_claim(own_line)
    before = connections_made(valkey)
    if is_forgotten:
        valkey.client.script_flush()
    completed, claimed = batch(own_line, *completion_and_claim)["results"]
    assert completed["outcome"] == "completed"
    assert [entry["entry_id"] for entry in claimed["entries"]] == [own_line.id_of("bob")]
    assert claimed["stamp"] > completed["stamp"]
    assert connections_made(valkey) == before


def test_a_request_behind_a_refused_script_gets_its_own_answer(
    valkey: Server, own_line: Line
) -> None:
    """If one of a message's scripts fails, its error is not mistaken for the response to the next
    request (promise P6).
    """
    own_line.all_sign_up(["ann", "bob"])
    valkey.client.script_flush()
    ann, bob = (own_line.message("position", entry_id=own_line.id_of(n)) for n in ("ann", "bob"))
    answers = batch(own_line, ann, bob, own_line.message("stats"))["results"]
    assert [answer["outcome"] for answer in answers] == ["waiting", "waiting", "stats"]
    assert [answer.get("position") for answer in answers] == [1, 2, None]
    assert accepted(own_line.position("bob"))["position"] == 2


def completion_and_next_claim(line: Line) -> list[dict[str, Any]]:
    line.all_sign_up(["ann", "bob"])
    token = line.claimed()["ann"]["token"]
    completion = line.message("complete", entry_id=line.id_of("ann"), token=token)
    return [completion, line.message("claim")]


def batch(line: Line, *requests: dict[str, Any]) -> Answer:
    return accepted(line.handle({"op": "batch", "requests": list(requests)}))


def connections_made(server: Server) -> int:
    return int(server.client.info("stats")["total_connections_received"])
