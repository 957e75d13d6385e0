"""Tests for moving an entry ahead by a number of places within its priority.

If there is no free rank (sort key) at the new place, the entry moves on to the next free rank.
"""

import pytest

from tests.support.line import Line, accepted
from waitlist_shared.ranks import ROOM, TIER, priority_of

PEOPLE = [f"person {number}" for number in range(12)]
TICKET = 16 * 1000 * 3600 * 24 * 400


def spaced(line: Line, names: list[str]) -> None:
    for name in names:
        line.clock.advance(10_000)
        accepted(line.signup(name))


def dense(line: Line, prefix: str, count: int, first: int = TICKET) -> list[str]:
    """The ranks (sort keys) are consecutive numbers, so no rank between them is free."""
    names = [f"{prefix} {number}" for number in range(count)]
    for number, name in enumerate(names):
        accepted(line.insert(name, ticket=first + number))
    return names


def test_forty_pass_the_same_person_one_by_one(line: Line) -> None:
    """40 entries move ahead of the same entry, one after the other. Each of them moves by exactly
    one place (promise P1).
    """
    line.init()
    names = [f"person {number}" for number in range(42)]
    for name in names:
        line.clock.advance(4_000)
        accepted(line.signup(name))
    for name in names[2:]:
        assert line.bump(name, places=1)["moved_by"] == 1
    assert line.order() == [names[0], *names[2:], names[1]]


def test_forty_go_behind_the_same_person_one_ahead_of_the_other(line: Line) -> None:
    line.init()
    names = [f"person {number}" for number in range(42)]
    for name in names:
        line.clock.advance(10_000)
        accepted(line.signup(name))
    for number, name in enumerate(names[2:], start=1):
        assert line.bump(name, places=number)["moved_by"] == number
    assert line.order() == [names[0], *names[:1:-1], names[1]]


def test_in_a_run_without_room_the_answer_has_the_next_room_ahead(line: Line) -> None:
    """If no rank (sort key) is free 10 places ahead, the entry gets the next free rank further
    ahead. In this test, it moves by 89 places (promise P1).
    """
    line.init()
    early = dense(line, "early", 70)
    late = dense(line, "late", 90, TICKET + 10_000)
    moved = line.bump(late[-1], places=10)
    assert (moved["position"], moved["moved_by"]) == (len(early) + 1, 89)
    assert line.order() == [*early, late[-1], *late[:-1]]


def test_hundreds_of_consecutive_ranks_leave_the_head_only(line: Line) -> None:
    line.init()
    names = dense(line, "person", 300)
    assert line.entries()[-1]["rank"] - line.entries()[0]["rank"] == 299
    assert line.bump(names[-1], places=10)["position"] == 1
    assert line.bump(names[150], places=1)["position"] == 2
    assert line.order() == [names[-1], names[150], *names[:150], *names[151:-1]]


def test_moves_into_a_full_gap_pass_more_and_share_no_rank(line: Line) -> None:
    """After random moves, no two entries have the same rank (sort key), and each response contained
    the correct position (promise P1).
    """
    line.init()
    line.all_sign_up(["first"])
    names = dense(line, "person", 40, line.position("first")["ticket"] + 20)
    passed = []
    for name in names[1:]:
        before = line.position(name)["position"]
        moved = line.bump(name, places=1)
        assert moved["moved_by"] == before - moved["position"] >= 1
        passed.append(moved["moved_by"])
    assert passed[0] == 1 < passed[-1]
    ranks = [entry["rank"] for entry in line.entries()]
    assert ranks == sorted(set(ranks))
    assert {priority_of(rank) for rank in ranks} == {0}


def test_a_move_leaves_room_for_many_more(line: Line) -> None:
    """Entries can be moved to the head of the queue a thousand times without using up the ranks
    there (promise P1).
    """
    line.init()
    spaced(line, PEOPLE)
    ranks = [line.bump(name, places=1_000)["rank"] for name in PEOPLE[1:] * 3]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[0] - ranks[-1] < 2**22
    assert priority_of(ranks[-1]) == 0


@pytest.mark.parametrize("priority", [0, 1, 255])
def test_ahead_of_the_very_first_rank_of_a_priority_there_is_no_room(
    line: Line, priority: int
) -> None:
    """A refused move changes nothing and uses up no ticket number (promise P5)."""
    line.init()
    first = (255 - priority) * TIER - ROOM
    line.restore("ann", rank=first, ticket=5)
    line.restore("bob", rank=first + 1, ticket=6)
    line.signup("eve")
    line.bump("eve", priority=priority)
    before = line.contents()
    for where in ({"places": 1}, {"places": 2}, {"to": "front"}):
        assert line.bump("eve", **where)["code"] == "no_room"
    assert line.contents() == before


def test_the_very_first_rank_of_a_priority_can_be_taken(line: Line) -> None:
    line.init()
    line.restore("ann", rank=1 - ROOM, ticket=1)
    line.signup("eve")
    line.bump("eve", priority=255)
    moved = line.bump("eve", to="front")
    assert (moved["rank"], moved["position"]) == (-ROOM, 1)
    assert line.order() == ["eve", "ann"]
