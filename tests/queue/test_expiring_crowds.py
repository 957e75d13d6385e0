"""Tests requests that arrive when so many claims have expired that one message cannot return all
their entries to the queue.
"""

from typing import Any
from unittest.mock import patch

import pytest

from tests.support.line import Line, accepted
from tests.support.redis_servers import Server
from waitlist_queue import keys, service

TURNS = 2
# A claim request's first attempt returns 200 expired entries to the queue, and each later attempt
# returns 400.
AT_ONCE = 200 + TURNS * 400
HOLDS = AT_ONCE + 100


@pytest.fixture
def crowd(valkey: Server) -> Line:
    line = Line(valkey.client)
    line.init()
    line.signup("zoe")
    place = {"state": "held", "token": "a" * 40, "time_millis": line.clock.millis + 1}
    numbers = range(1, HOLDS + 1)
    for first in range(0, HOLDS, 500):
        requests = [
            line.message("restore", **line.stay(f"person {n}"), rank=n, ticket=n, stamp=n, **place)
            for n in numbers[first : first + 500]
        ]
        accepted(line.handle({"op": "batch", "requests": requests}))
    line.clock.advance(seconds=1)
    return line


def claim_once(crowd: Line, **fields: Any) -> None:
    with patch.object(service, "EXPIRING_TURNS", TURNS):
        assert crowd.claim(**fields)["code"] == "expiring"
    assert crowd.client.zcard(keys.held(crowd.waitlist_id)) == HOLDS - AT_ONCE


def test_a_claim_takes_no_entry_before_all_of_them_are_back(crowd: Line) -> None:
    """If a claim request cannot return all expired entries to the queue, it takes no entry and gets
    the response `expiring`. The next claim request returns the others (promises P1 and P9).
    """
    claim_once(crowd)
    assert list(crowd.claimed(3)) == ["person 1", "person 2", "person 3"]
    assert crowd.order()[-2:] == [f"person {HOLDS}", "zoe"]
    assert crowd.stats()["waiting"] == HOLDS - 3 + 1


def test_a_claim_of_both_ends_finds_the_same(crowd: Line) -> None:
    """A claim that takes the last entries of the queue also waits until all expired entries have
    returned (promise P1).
    """
    claim_once(crowd, order="newest")
    assert list(crowd.claimed(2, order="newest")) == ["zoe", f"person {HOLDS}"]


def test_no_position_is_answered_before_all_of_them_are_back(crowd: Line) -> None:
    """If a poll cannot return all expired entries to the queue, it gets the response `expiring`,
    without a position. The next poll succeeds (promises P6 and P9).
    """
    with patch.object(service, "EXPIRING_TURNS", TURNS):
        assert crowd.position("zoe")["code"] == "expiring"
    assert crowd.position("zoe")["position"] == HOLDS + 1
