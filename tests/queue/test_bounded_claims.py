"""Tests that claims and all operations on claimed entries cost the same in a short queue and in a
long one.
"""

from functools import partial
from typing import Any

import pytest

from tests.queue.test_bounded_work import SEARCH_STEPS, calls_during
from tests.support.line import Line, accepted
from tests.support.redis_servers import Server
from waitlist_queue import keys
from waitlist_shared.ranks import ROOM, TIER

PEOPLE = 2_000
TOKEN = "a" * 40
HELD = range(PEOPLE + 1, PEOPLE + 6)
PARKED = PEOPLE + 6
COMMANDS_PER_PERSON = 6


@pytest.fixture
def crowd(valkey: Server) -> Line:
    """Return a queue in which no rank (sort key) is free. When a claimed entry returns, a different
    entry has taken its rank.
    """
    line = Line(valkey.client)
    line.init()
    for first in range(1, PEOPLE, 500):
        batch(line, [place_of(line, number, number) for number in range(first, first + 500)])
    held = {"state": "held", "token": TOKEN, "time_millis": 10**13}
    batch(line, [{**place_of(line, number, PEOPLE), **held} for number in HELD])
    accepted(line.send("restore", **place_of(line, PARKED, PEOPLE), state="parked"))
    return line


def place_of(line: Line, number: int, rank: int) -> dict[str, Any]:
    stay = line.stay(f"person {number}")
    return {**stay, "rank": rank, "ticket": number, "stamp": number}


def batch(line: Line, places: list[dict[str, Any]]) -> None:
    requests = [line.message("restore", **place) for place in places]
    accepted(line.handle({"op": "batch", "requests": requests}))


def person(number: int) -> str:
    return f"person {number}"


ACTIONS: dict[str, Any] = {
    "claim": lambda line: line.claim(),
    "claim of the newest": lambda line: line.claim(order="newest"),
    "complete": lambda line: line.complete(person(HELD[0]), TOKEN),
    "release": lambda line: line.release(person(HELD[1]), TOKEN),
    "release to the back": lambda line: line.release(person(HELD[2]), TOKEN, to="back"),
    "extend": lambda line: line.extend(person(HELD[3]), TOKEN),
    "park": lambda line: line.park(person(HELD[3]), TOKEN),
    "redrive": lambda line: line.redrive(person(PARKED)),
    "leave": lambda line: line.leave(person(HELD[4])),
    "settle": lambda line: line.settle(person(HELD[0]), TIER - ROOM - 1),
    "list_off_queue": lambda line: line.list_off_queue("held"),
    "stats": lambda line: line.stats(),
}


def test_every_operation_on_claims_is_one_round_trip(valkey: Server, crowd: Line) -> None:
    """Every operation on claims needs a single round trip, even if a claimed entry returns to a
    queue without gaps (promise P9).
    """
    rehearse(crowd)
    for name, action in ACTIONS.items():
        calls = calls_during(valkey, partial(action, crowd))
        assert calls.pop("evalsha") == 1, name
        assert "eval" not in calls, name
        assert sum(calls.values()) <= 20 + SEARCH_STEPS, (name, calls)


def test_a_claim_of_a_hundred_is_one_round_trip(valkey: Server, crowd: Line) -> None:
    """P9"""
    rehearse(crowd)
    calls = calls_during(valkey, partial(crowd.claim, 100))
    assert calls.pop("evalsha") == 1
    assert sum(calls.values()) <= 10 + 100 * COMMANDS_PER_PERSON


def test_a_limit_of_claims_costs_the_same_beside_a_thousand_offers(
    valkey: Server, crowd: Line
) -> None:
    """If a waitlist limits its claims, a claim costs the same no matter how many offers are open.
    Only the first claim costs more (promise P9).
    """
    other = crowd.of("cinema")
    for line in (crowd, other):
        line.init(version=2, max_claims=len(HELD) + 3)
        line.all_sign_up(["ann", "bob", "eve"])
    for _ in range(10):
        crowd.send("admit", count=100)
    costs = []
    for line in (crowd, other):
        assert line.claim()["limit"] is None
        costs.append(calls_during(valkey, line.claim))
    assert costs[0] == costs[1]
    assert crowd.claim(2)["limit"] == "max_claims"


def test_an_expire_ends_a_bounded_number_of_holds(valkey: Server, crowd: Line) -> None:
    """No matter how many claims have expired, one run of the `expire` script handles only a limited
    number of them (promise P9).
    """
    rehearse(crowd)
    for _ in range(10):
        crowd.claim(100)
    crowd.clock.advance(seconds=300)
    calls = calls_during(valkey, crowd.expire)
    assert calls["zrem"] <= 2 * 200
    assert valkey.client.zcard(keys.held(crowd.waitlist_id)) == len(HELD) + 1_000 - 200


def test_a_run_ends_a_bounded_number_of_passes(valkey: Server) -> None:
    """Each run removes at most 1,000 customers whose pass has expired. The others count as inside
    until the next run (promise P9).
    """
    line = Line(valkey.client)
    line.init(admission=True, max_inside=1)
    inside = keys.inside(line.waitlist_id)
    valkey.client.zadd(inside, {f"person {number}": 1_000 + number for number in range(1_100)})
    for left in (100, 0):
        accepted(line.send("admit"))
        assert valkey.client.zcard(inside) == left


def rehearse(line: Line) -> None:
    for action in ACTIONS.values():
        action(line.of("rehearsal"))
    line.of("rehearsal").expire()
