"""Tests that an operation costs the same in a short queue and in a long one."""

from functools import partial
from typing import Any

import pytest

from tests.support.line import Line, accepted
from tests.support.redis_servers import Server
from waitlist_shared.ranks import TIER

PEOPLE = 4_096
# The largest number of steps that a search among 4,096 entries takes. The search doubles its step
# 12 times and then halves it 12 times.
SEARCH_STEPS = 26
# Moving an entry takes a few more commands than other operations do. The script looks up the
# idempotency key, stores it with an expiry time, and notes the change for DynamoDB.
OF_A_MOVE = 8
MOVES = {"places", "one place", "priority", "front", "back"}
FIRST_TICKET = 1_000
FIRST_RANK = 255 * TIER + FIRST_TICKET


@pytest.fixture
def crowd(valkey: Server) -> Line:
    """Return a queue in which no rank (sort key) is free. Moving an entry ahead is most expensive
    in such a queue.
    """
    line = Line(valkey.client)
    line.init()
    for first in range(0, PEOPLE, 256):
        requests = [
            line.message(
                "restore",
                **line.stay(f"person {number}"),
                rank=FIRST_RANK + number,
                ticket=FIRST_TICKET + number,
                stamp=FIRST_TICKET + number,
            )
            for number in range(first, first + 256)
        ]
        accepted(line.handle({"op": "batch", "requests": requests}))
    return line


def calls_during(server: Server, action: Any) -> dict[str, int]:
    server.client.config_resetstat()
    accepted(action())
    stats = server.client.info("commandstats")
    calls = {name.removeprefix("cmdstat_"): value["calls"] for name, value in stats.items()}
    return {name: count for name, count in calls.items() if not name.startswith(("config", "info"))}


LAST = f"person {PEOPLE - 1}"
ACTIONS: dict[str, Any] = {
    "signup": lambda line: line.signup("zoe"),
    "repeat": lambda line: line.signup(LAST),
    "position": lambda line: line.position(LAST),
    "places": lambda line: line.bump(LAST, places=10),
    "one place": lambda line: line.bump("person 4000", places=1),
    "priority": lambda line: line.bump("person 100", priority=1),
    "front": lambda line: line.bump("person 101", to="front"),
    "back": lambda line: line.bump("person 102", to="back"),
    "list_waiting": lambda line: line.list_waiting(limit=100),
    "page at a position": lambda line: line.list_waiting(first=PEOPLE - 100, limit=100),
    "stats": lambda line: line.stats(),
    "restore": lambda line: line.restore("kim", rank=5, ticket=5),
    "leave": lambda line: line.leave("person 7"),
    "drop": lambda line: line.drop("person 8"),
}


def test_every_operation_is_one_round_trip_of_a_few_commands(valkey: Server, crowd: Line) -> None:
    """No operation searches for a free rank (sort key) more than once, even if the queue has none
    (promise P9).
    """
    for action in ACTIONS.values():
        # Let Redis load the script first, so that the measured call needs only one round trip.
        action(crowd.of("rehearsal"))
    for name, action in ACTIONS.items():
        calls = calls_during(valkey, partial(action, crowd))
        assert calls.pop("evalsha") == 1, name
        assert "eval" not in calls, name
        most = 17 + SEARCH_STEPS + (OF_A_MOVE if name in MOVES else 0)
        assert sum(calls.values()) <= most, (name, calls)


def test_an_import_into_a_crowd_searches_for_its_end(valkey: Server, crowd: Line) -> None:
    """The search for a free rank (sort key) takes longest at the front of a queue that has no free
    ranks. Even there, it needs only a few steps (promise P9).
    """
    first = accepted(crowd.position("person 0"))["ticket"]
    crowd.of("rehearsal").insert("zoe")
    calls = calls_during(valkey, partial(crowd.insert, "zoe", ticket=first))
    assert calls.pop("evalsha") == 1
    assert sum(calls.values()) <= 16 + SEARCH_STEPS, calls
    assert accepted(crowd.position("zoe"))["position"] == PEOPLE + 1


def test_a_batch_is_one_command_for_each_request(valkey: Server, crowd: Line) -> None:
    """P9"""
    requests = [crowd.message("position", entry_id=crowd.id_of(LAST)) for _ in range(500)]
    calls = calls_during(valkey, partial(crowd.handle, {"op": "batch", "requests": requests}))
    assert calls["eval"] + calls["evalsha"] == 500
