"""bump to the front or the back of the line."""

from tests.support.line import Line
from waitlist_shared.ranks import priority_of

PEOPLE = ["ann", "bob", "eve", "kim"]


def test_the_front_is_ahead_of_every_priority(line: Line) -> None:
    """P6"""
    line.init()
    line.all_sign_up(PEOPLE)
    line.bump("ann", priority=255)
    moved = line.bump("kim", to="front")
    assert (moved["outcome"], moved["position"], moved["total"]) == ("moved", 1, 4)
    assert line.order() == ["kim", "ann", "bob", "eve"]


def test_the_last_to_be_sent_to_the_front_is_first(line: Line) -> None:
    line.init()
    line.all_sign_up(PEOPLE)
    for name in PEOPLE:
        line.bump(name, to="front")
    assert line.order() == PEOPLE[::-1]


def test_the_head_sent_to_the_front_keeps_its_rank(line: Line) -> None:
    line.init()
    ann, *_ = line.all_sign_up(PEOPLE)
    assert line.bump("ann", to="front")["rank"] == ann["rank"]


def test_the_back_is_behind_everybody_and_without_priority(line: Line) -> None:
    """P1: it takes a new ticket, as a signup does."""
    line.init()
    ann, *_ = line.all_sign_up(PEOPLE)
    line.bump("ann", priority=9)
    moved = line.bump("ann", to="back")
    assert (moved["position"], priority_of(moved["rank"])) == (4, 0)
    assert moved["ticket"] == ann["ticket"]
    line.signup("zoe")
    assert line.order() == ["bob", "eve", "kim", "ann", "zoe"]


def test_the_last_sent_to_the_back_keeps_its_rank(line: Line) -> None:
    line.init()
    *_, kim = line.all_sign_up(PEOPLE)
    assert line.bump("kim", to="back")["rank"] == kim["rank"]


def test_a_single_person_is_front_and_back(line: Line) -> None:
    line.init()
    ann = line.signup("ann")
    for where in ["front", "back"]:
        moved = line.bump("ann", to=where)
        assert (moved["rank"], moved["position"], moved["total"]) == (ann["rank"], 1, 1)


def test_a_priority_after_the_back_keeps_the_place_behind_its_equals(line: Line) -> None:
    """P1: sent to the back is a new arrival, also among the bumped."""
    line.init()
    line.all_sign_up(PEOPLE)
    line.bump("ann", to="back")
    line.bump("ann", priority=2)
    line.bump("bob", priority=2)
    assert line.order() == ["bob", "ann", "eve", "kim"]
