"""Tests for requests that move an entry and have an idempotency key.

If such a request is delivered twice, the entry moves once.
"""

import pytest

from tests.support.line import Line

PEOPLE = [f"person {number}" for number in range(8)]
LAST = PEOPLE[-1]
DAY_SECONDS = 24 * 3600


def spaced(line: Line) -> None:
    line.init()
    for name in PEOPLE:
        line.clock.advance(10_000)
        line.signup(name)


@pytest.mark.parametrize("where", [{"places": 2}, {"priority": 4}, {"to": "front"}, {"to": "back"}])
def test_a_repeated_bump_moves_once(line: Line, where: dict[str, object]) -> None:
    """Repeating a request to move an entry does not move the entry again. The response contains its
    current place (promise P2).
    """
    spaced(line)
    name = PEOPLE[4]
    moved = line.bump(name, once=1, **where)
    again = line.bump(name, once=1, **where)
    assert (moved["outcome"], again["outcome"]) == ("moved", "repeat")
    same = ("rank", "ticket", "position", "total", "moved_stamp", "moved_by")
    assert [again[key] for key in same] == [moved[key] for key in same]
    assert moved["moved_stamp"] == moved["stamp"] < again["stamp"]


def test_a_repeat_returns_how_far_the_first_call_moved(line: Line) -> None:
    """A client that received no response may repeat a request to move an entry.

    The second response says how far the first request moved the entry (promise P2).
    """
    spaced(line)
    line.bump(LAST, once=1, places=3)
    line.bump(PEOPLE[0], once=1, to="back")
    line.bump(LAST, once=2, to="front")
    assert line.bump(LAST, once=1, places=3)["moved_by"] == 3
    assert line.bump(PEOPLE[0], once=1, to="back")["moved_by"] == -7


def test_a_repeat_after_another_move_does_not_undo_it(line: Line) -> None:
    """An entry was moved twice. If the first request is then repeated, the entry stays where the
    second request put it (promise P2).
    """
    spaced(line)
    first = line.bump(LAST, once=1, to="front")
    line.bump(LAST, once=2, to="back")
    again = line.bump(LAST, once=1, to="front")
    assert (again["outcome"], again["position"]) == ("repeat", 8)
    assert again["moved_stamp"] == first["stamp"]


def test_a_late_bump_leaves_the_next_stay_where_it_is(line: Line) -> None:
    """If a customer has left and signed up again, a late request to move the earlier entry does not
    move the new one (promise P2).
    """
    spaced(line)
    name = PEOPLE[0]
    first = line.position(name)["ticket"]
    line.drop(name)
    line.signup(name, stay=2)
    second = line.position(name)["ticket"]
    assert line.bump(name, ticket=first, to="front")["code"] == "not_waiting"
    assert line.position(name)["position"] == len(PEOPLE)
    assert line.bump(name, ticket=second, to="front")["position"] == 1
    assert line.bump(name, ticket=second, places=1)["ticket"] == second


def test_a_bump_that_names_no_stay_is_taken(line: Line) -> None:
    spaced(line)
    assert line.bump(LAST, to="front")["position"] == 1


def test_another_key_moves_again(line: Line) -> None:
    spaced(line)
    assert line.bump(LAST, once=1, places=1)["position"] == 7
    assert line.bump(LAST, once=2, places=1)["position"] == 6


def test_a_key_counts_for_one_person_only(line: Line) -> None:
    spaced(line)
    assert line.bump(PEOPLE[6], once=1, to="front")["outcome"] == "moved"
    assert line.bump(PEOPLE[7], once=1, to="front")["outcome"] == "moved"


def test_a_refused_bump_does_not_use_up_its_key(line: Line) -> None:
    """If a request to move an entry was refused, the client can retry it with the same idempotency
    key, and the entry is moved (promise P2).
    """
    spaced(line)
    assert line.bump("zoe", once=1, to="front")["code"] == "not_waiting"
    line.signup("zoe")
    assert line.bump("zoe", once=1, to="front")["outcome"] == "moved"


def test_a_key_is_forgotten_when_its_time_is_up(line: Line) -> None:
    spaced(line)
    line.bump(LAST, once=1, to="front", once_seconds=60)
    assert 0 < line.client.ttl(_moves(line)) <= 60
    line.bump(LAST, once=2, to="front")
    assert 60 < line.client.ttl(_moves(line)) <= DAY_SECONDS
    line.bump(LAST, once=3, to="front", once_seconds=60)
    assert 60 < line.client.ttl(_moves(line)) <= DAY_SECONDS, "the longest-lived move counts"


def test_of_an_entry_that_moves_every_hour_the_moves_of_a_day_are_kept(line: Line) -> None:
    """Redis forgets a request that has moved an entry after about a day, even if the entry is moved
    every hour (promise P9).
    """
    spaced(line)
    for number in range(60):
        line.bump(LAST, once=number, to="front" if number % 2 else "back")
        line.clock.advance(seconds=3600)
    assert line.client.zcard(_moves(line)) <= 26 * 2
    assert line.bump(LAST, once=59, to="front")["outcome"] == "repeat"
    assert line.bump(LAST, once=0, to="front")["outcome"] == "moved"


def test_an_erased_entry_has_no_moves(line: Line) -> None:
    """When an entry is erased, Redis also forgets the requests that have moved it.

    It keeps what it knows about other entries (promise P8).
    """
    spaced(line)
    for once in range(3):
        line.bump(LAST, once=once, to="front")
        line.bump(PEOPLE[0], once=once, to="back")
    line.drop(LAST)
    assert line.client.zcard(_moves(line)) == 3 * 2, "a signup that ends is not erased"
    line.drop(LAST, is_erased=True)
    assert not [key for key in line.client.keys("*") if line.id_of(LAST) in str(key)]
    assert line.bump(PEOPLE[0], once=2, to="front")["outcome"] == "repeat"


def _moves(line: Line) -> str:
    return f"wl:{{bakery-opening}}:moves:{line.id_of(LAST)}"
