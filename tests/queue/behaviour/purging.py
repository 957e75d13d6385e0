"""Tests for the `purge` operation, which removes a deleted waitlist's queue from Redis."""

from collections import Counter

from tests.queue.behaviour.rebuilding import fill_every_state
from tests.support.counters import NO_OFFERS
from tests.support.line import Line


def test_a_purge_leaves_nothing_but_what_expires_by_itself(line: Line) -> None:
    line.init()
    line.all_sign_up(["ann", "bob", "eve"])
    line.bump("bob", to="front")
    line.leave("eve")
    fill_every_state(line)
    line.claim(1, once=9)
    other = line.of("cinema")
    other.init()
    assert line.send("purge") == {"ok": True, "outcome": "purged"}
    left = [key for key in line.contents() if key.startswith("wl:{bakery-opening}")]
    assert Counter(key.split(":")[2] for key in left) == {"once": 1, "moves": 5}
    assert all(line.client.ttl(key) > 0 for key in left)
    assert line.position("bob")["code"] == "cold"
    assert other.stats()["outcome"] == "stats"


def test_a_purge_can_be_repeated(line: Line) -> None:
    """P2"""
    assert [line.send("purge")["outcome"] for _ in range(2)] == ["purged", "purged"]


def test_a_purged_list_can_start_again(line: Line) -> None:
    line.init()
    line.all_sign_up(["ann", "bob"])
    line.leave("ann")
    line.claim()
    line.send("purge")
    line.init(capacity=1)
    assert line.signup("ann")["position"] == 1
    assert line.stats()["counters"] == NO_OFFERS | {"signed_up": 1, "left": 0, "admitted": 0}
