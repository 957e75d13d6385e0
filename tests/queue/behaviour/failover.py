"""Tests for a failover to another Redis server.

The new server may lack the most recent writes, so the queue counts as lost until it has been
rebuilt.
"""

from typing import Any

import pytest

from tests.queue.behaviour.rebuilding import LATER_EPOCH, VERBS, each_verb
from tests.support.counters import NO_OFFERS
from tests.support.line import EPOCH, HOUR_MICROS, Answer, Line, accepted

FIRST, SECOND = "server-one", "server-two"
PEOPLE = ["ann", "bob", "eve"]


def taken_over(line: Line) -> None:
    line.server_run_id = FIRST
    line.init()
    line.all_sign_up(PEOPLE)
    line.server_run_id = SECOND


def newest_stamp(line: Line) -> int:
    return int(line.client.hget("wl:{bakery-opening}:meta", "last_ticket"))


def open_again(line: Line, **fields: Any) -> Answer:
    return accepted(line.init(mode="open", epoch=LATER_EPOCH, **fields))


@pytest.mark.parametrize("verb", VERBS)
def test_a_server_that_has_taken_over_returns_cold(line: Line, verb: str) -> None:
    """After a failover, operations return no data from the new Redis server and change nothing on
    it (promise P7).
    """
    taken_over(line)
    before = line.contents()
    assert line.handle(each_verb(line)[verb])["code"] == "cold"
    assert line.contents() == before
    line.server_run_id = FIRST
    assert line.handle(each_verb(line)[verb]).get("code") != "cold"


def test_every_server_owns_the_order_where_servers_hide_their_run_id(line: Line) -> None:
    taken_over(line)
    line.server_run_id = ""
    assert line.position("ann")["position"] == 1


def test_an_order_that_was_taken_over_starts_empty(line: Line) -> None:
    """After a failover, the queue starts empty.

    All new stamps (logical timestamps) are higher than every recorded stamp (promises P1, P3 and
    P7).
    """
    taken_over(line)
    floor = newest_stamp(line) + 1_000_000
    counted = {"signed_up": 5, "left": 2, "admitted": 0}
    opened = open_again(line, counters=counted, floor_ticket=floor)
    assert (opened["outcome"], opened["state"], opened["epoch"]) == (
        "created",
        "hydrating",
        LATER_EPOCH,
    )
    assert opened["epoch_start"] >= floor
    assert list(line.contents()) == ["wl:{bakery-opening}:meta"]
    assert line.position("ann")["code"] == "rebuilding"
    assert line.restore("ann", rank=5, ticket=5, epoch=EPOCH)["code"] == "stale_epoch"
    assert line.signup("zoe")["ticket"] > opened["epoch_start"]
    assert accepted(line.init(epoch=LATER_EPOCH))["outcome"] == "warmed"
    assert line.order() == ["zoe"]
    assert line.stats()["counters"] == NO_OFFERS | {"signed_up": 6, "left": 2, "admitted": 0}


def test_a_rebuild_is_started_once(line: Line) -> None:
    """P2"""
    taken_over(line)
    first = open_again(line)
    again = accepted(line.init(mode="open", epoch="0000cccc"))
    assert (again["outcome"], again["epoch"], again["epoch_start"]) == (
        "exists",
        LATER_EPOCH,
        first["epoch_start"],
    )


def test_settings_that_are_repeated_do_not_open_an_order(line: Line) -> None:
    taken_over(line)
    before = line.contents()
    assert line.init(mode="configure")["code"] == "cold"
    assert line.contents() == before


def test_the_clock_of_the_new_server_may_be_behind(line: Line) -> None:
    """After a failover, new signups line up behind every recorded entry, even if the new server's
    clock lags (promise P1).
    """
    taken_over(line)
    line.clock.advance(-HOUR_MICROS)
    known = newest_stamp(line)
    assert open_again(line, floor_ticket=known)["epoch_start"] > known
