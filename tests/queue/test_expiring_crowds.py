"""More holds expire at once than one message can end: no entry is claimed before they are back."""

import pytest

from tests.support.line import Line, accepted
from tests.support.redis_servers import Server

AT_ONCE = 200 * 20  # holds that one turn ends, times turns of one message
HOLDS = AT_ONCE + 100


@pytest.fixture
def crowd(valkey: Server) -> Line:
    """All entries at the head are held with the same deadline, and zoe waits behind them."""
    line = Line(valkey.client)
    line.init()
    place = {"state": "held", "token": "a" * 40, "time_millis": line.clock.millis}
    numbers = range(1, HOLDS + 1)
    for first in range(0, HOLDS, 500):
        requests = [
            line.message("restore", **line.stay(f"person {n}"), rank=n, ticket=n, stamp=n, **place)
            for n in numbers[first : first + 500]
        ]
        accepted(line.handle({"op": "batch", "requests": requests}))
    line.signup("zoe")
    return line


def test_a_claim_takes_no_entry_before_all_of_them_are_back(crowd: Line) -> None:
    """P1, P9: it returns `expiring`, and the next claim goes on where it stopped."""
    assert crowd.claim()["code"] == "expiring"
    assert crowd.stats()["offered"] == HOLDS - AT_ONCE
    assert list(crowd.claimed(3)) == ["person 1", "person 2", "person 3"]
    assert crowd.order()[-2:] == [f"person {HOLDS}", "zoe"]
    assert crowd.stats()["waiting"] == HOLDS - 3 + 1


def test_a_claim_of_both_ends_finds_the_same(crowd: Line) -> None:
    """P1: the same holds for a claim of the newest."""
    assert crowd.claim(order="newest")["code"] == "expiring"
    assert list(crowd.claimed(2, order="newest")) == ["zoe", f"person {HOLDS}"]
