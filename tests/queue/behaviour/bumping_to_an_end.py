"""Tests for moving an entry to the front of its priority, or to the back of the queue."""

from typing import Any

import pytest

from tests.support.line import Line
from waitlist_shared.ranks import TIER, priority_of

PEOPLE = ["ann", "bob", "eve", "kim"]


@pytest.mark.parametrize("priority", [0, 1, 254, 255])
def test_ahead_of_the_first_of_all_tickets_there_is_room(line: Line, priority: int) -> None:
    """Entries can be moved ahead of the first entry, even if that entry was imported with a signup
    time in 2020 (promise P1).
    """
    line.init()
    line.insert("old", ticket=1, priority=priority)
    for name in PEOPLE:
        line.signup(name)
        line.bump(name, priority=priority)
    for name in PEOPLE * 25:
        moved = line.bump(name, to="front")
        assert (moved["position"], priority_of(moved["rank"])) == (1, priority)
    assert line.order() == [*PEOPLE[::-1], "old"]


def test_a_place_ahead_of_all_tickets_is_no_time(line: Line) -> None:
    """An operator moves an entry to the very front and then sets its priority. The entry gets the
    place that matches its signup time (promise P1).
    """
    line.init()
    line.insert("old", ticket=1)
    _, bob = line.all_sign_up(["ann", "bob"])
    for name in ("ann", "bob"):
        line.bump(name, to="front")
    moved = line.bump("bob", priority=0)
    assert (moved["rank"], moved["ticket"]) == (bob["rank"], bob["ticket"])
    line.signup("zoe")
    assert line.order() == ["ann", "old", "bob", "zoe"]


def test_an_import_repeated_for_an_entry_at_the_front_draws_no_late_stamp(line: Line) -> None:
    """After an entry has moved to the front, its rank (sort key) no longer says when the customer
    signed up, so a repeated import must not use it as a signup time (promise P1).
    """
    line.init()
    line.insert("old", ticket=1)
    ann = line.signup("ann")
    line.bump("ann", to="front")
    again = line.insert("ann", ticket=ann["ticket"])
    assert (again["outcome"], again["ticket"]) == ("already", ann["ticket"])
    assert again["stamp"] < ann["stamp"] + 100


def test_an_entry_that_was_restored_behind_all_tickets_can_be_moved(line: Line) -> None:
    """P1"""
    line.init()
    line.restore("bob", rank=2**53 - 32_768, ticket=17)
    signups = [line.message("signup", **line.stay(name)) for name in ("ann", "eve")]
    signed_up = line.handle({"op": "batch", "requests": signups})["results"]
    assert [answer["position"] for answer in signed_up] == [1, 2]
    assert line.signup("kim")["position"] == 3
    assert line.order() == ["ann", "eve", "kim", "bob"]
    moved = line.bump("bob", places=1)
    assert (moved["position"], priority_of(moved["rank"])) == (3, 0)
    assert line.bump("bob", to="front")["position"] == 1
    assert line.bump("bob", priority=0)["rank"] == 255 * TIER + 17


@pytest.mark.parametrize("where", [{"to": "front"}, {"places": 1}], ids=str)
def test_the_first_of_a_priority_keeps_its_rank(line: Line, where: dict[str, Any]) -> None:
    """Moving an entry ahead does not change its rank (sort key) if the entry is already the first
    of its priority, so repeated moves cannot use up the free ranks (promise P1).
    """
    line.init()
    ann, *_ = line.all_sign_up(PEOPLE)
    kim = line.bump("kim", priority=1)
    assert [line.bump(name, **where)["rank"] for name in ("ann", "kim")] == [
        ann["rank"],
        kim["rank"],
    ]


def test_the_back_is_behind_every_entry_and_without_priority(line: Line) -> None:
    """An entry that is moved to the back loses its priority but keeps the ticket number from its
    signup (promise P1).
    """
    line.init()
    ann, *_ = line.all_sign_up(PEOPLE)
    line.bump("ann", priority=9)
    moved = line.bump("ann", to="back")
    assert (moved["position"], priority_of(moved["rank"]), moved["moved_by"]) == (4, 0, -3)
    assert moved["ticket"] == ann["ticket"]
    line.signup("zoe")
    assert line.order() == ["bob", "eve", "kim", "ann", "zoe"]


def test_a_priority_after_the_back_goes_by_the_signup(line: Line) -> None:
    """If an entry at the back gets a priority, its signup time decides its place again (promise
    P1).
    """
    line.init()
    line.all_sign_up(PEOPLE)
    line.bump("ann", to="back")
    line.bump("bob", priority=2)
    line.bump("ann", priority=2)
    assert line.order() == ["ann", "bob", "eve", "kim"]
