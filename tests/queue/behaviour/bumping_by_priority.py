"""Tests for changing an entry's priority.

Entries with a higher priority come first. Entries with the same priority are sorted by signup time.
"""

import pytest

from tests.support.line import Line
from waitlist_shared.ranks import TIER, priority_of


def test_higher_priorities_stand_ahead(line: Line) -> None:
    """P1, P6"""
    line.init()
    line.all_sign_up(["ann", "bob", "eve", "kim"])
    line.bump("kim", priority=255)
    moved = line.bump("eve", priority=3)
    assert (moved["outcome"], moved["position"], moved["total"]) == ("moved", 2, 4)
    assert priority_of(moved["rank"]) == 3
    assert line.order() == ["kim", "eve", "ann", "bob"]


def test_within_a_priority_arrival_decides(line: Line) -> None:
    """Entries with the same priority are sorted by signup time, no matter which of them got the
    priority first (promise P1).
    """
    line.init()
    line.all_sign_up(["ann", "bob", "eve"])
    for name in ["eve", "ann", "bob"]:
        line.bump(name, priority=7)
    assert line.order() == ["ann", "bob", "eve"]


def test_a_priority_taken_back_gives_the_old_place_back(line: Line) -> None:
    line.init()
    _, bob, _ = line.all_sign_up(["ann", "bob", "eve"])
    line.bump("bob", priority=1)
    assert line.bump("bob", priority=0)["rank"] == bob["rank"]
    assert line.order() == ["ann", "bob", "eve"]


@pytest.mark.parametrize("priority", [0, 9])
def test_a_rank_that_is_taken_is_not_shared(line: Line, priority: int) -> None:
    """If the rank (sort key) for an entry is taken, the entry gets a free rank directly ahead of it
    (promise P1).
    """
    line.init()
    ann, *_ = line.all_sign_up(["ann", "bob", "eve"])
    line.bump("ann", priority=5)
    taken = (255 - priority) * TIER + ann["ticket"]
    line.restore("kim", rank=taken, ticket=ann["ticket"])
    moved = line.bump("ann", priority=priority)
    assert moved["rank"] < taken
    assert priority_of(moved["rank"]) == priority
    assert moved["ticket"] == ann["ticket"]
    assert line.order() == ["ann", "kim", "bob", "eve"]


def test_an_entry_right_ahead_of_the_rank_that_is_taken_stays_there(line: Line) -> None:
    """Kim's entry is already directly ahead of the entry whose rank (sort key) it should get, so
    setting Kim's priority again does not move it.
    """
    line.init()
    (ann,) = line.all_sign_up(["ann"])
    kim = line.restore("kim", rank=ann["rank"], ticket=ann["ticket"])
    assert kim["rank"] == ann["rank"] - 1
    assert line.bump("kim", priority=0)["rank"] == kim["rank"]
    assert line.order() == ["kim", "ann"]
