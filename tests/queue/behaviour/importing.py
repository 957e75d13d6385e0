"""Tests for the operations that import entries.

An imported entry's place depends on its ticket number, not on the order in which the rows are
inserted.
"""

from itertools import permutations
from typing import Any

import pytest

from tests.support.line import HOUR_MICROS, Line, accepted
from waitlist_queue import keys
from waitlist_shared.ranks import TIER

DAY_SECONDS = 24 * 3600
# A millisecond in 2021.
TIME = 16 * 1000 * 3600 * 24 * 400


def places_of(line: Line) -> list[tuple[str, int, int]]:
    return [(one["entry_id"], one["rank"], one["ticket"]) for one in line.entries()]


def test_an_import_stands_where_its_ticket_belongs(line: Line) -> None:
    """Among entries of the same priority, an imported entry's ticket number decides its place
    (promise P6).
    """
    line.init()
    line.signup("late")
    line.insert("early", ticket=TIME)
    line.insert("earlier", ticket=TIME - 1)
    line.insert("urgent", ticket=TIME + 5, priority=1)
    answer = accepted(line.insert("last", ticket=TIME + 9))
    assert line.order() == ["urgent", "earlier", "early", "last", "late"]
    assert (answer["position"], answer["total"], answer["ticket"]) == (4, 5, TIME + 9)


def test_an_import_at_a_taken_rank_gets_the_next_free_one_behind(line: Line) -> None:
    """If the rank (sort key) of an imported entry is taken, the entry gets the next free rank
    behind it.

    It keeps its ticket number, which contains the time of the signup (promise P1).
    """
    line.init()
    for number in range(20):
        line.insert(f"person {number}", ticket=TIME + number)
    for name in ("ann", "bob"):
        assert accepted(line.insert(name, ticket=TIME + 3))["ticket"] == TIME + 3
    assert line.order() == [*(f"person {number}" for number in range(20)), "ann", "bob"]
    ranks = [rank for _, rank, _ in places_of(line)]
    assert ranks == list(range(255 * TIER + TIME, 255 * TIER + TIME + 22))
    assert accepted(line.position("ann"))["ticket"] == TIME + 3


def test_a_free_place_within_a_run_is_taken(line: Line) -> None:
    line.init()
    for number in range(9):
        line.insert(f"person {number}", ticket=TIME + number)
    line.leave("person 6")
    line.insert("ann", ticket=TIME + 2)
    assert line.order()[6] == "ann"


def test_imports_in_any_order_make_the_same_line(line: Line) -> None:
    """The rows of an import may arrive in any order, for example because an interrupted import is
    repeated. The final queue must be the same (promise P3).
    """
    wanted = {"ann": TIME, "bob": TIME + 1, "cyd": TIME + 2, "dan": TIME + 40}
    lines = []
    for number, names in enumerate(permutations(wanted)):
        other = line.of(f"bakery-{number}")
        other.init()
        for name in names:
            accepted(other.insert(name, ticket=wanted[name]))
        lines.append([(other._names[one], rank, ticket) for one, rank, ticket in places_of(other)])
    assert [name for name, _, _ in lines[0]] == list(wanted)
    assert all(one == lines[0] for one in lines)


def test_a_repeat_keeps_its_place_and_counts_once(line: Line) -> None:
    """P2"""
    line.init()
    first = accepted(line.insert("ann", ticket=TIME))
    again = accepted(line.insert("ann", ticket=TIME))
    assert (first["outcome"], again["outcome"]) == ("joined", "already")
    assert (first["rank"], first["ticket"]) == (again["rank"], again["ticket"])
    assert line.stats()["counters"]["signed_up"] == 1


def test_a_late_import_of_an_ended_stay_is_refused(line: Line) -> None:
    """P2, P5"""
    line.init()
    line.insert("ann", ticket=TIME)
    line.leave("ann")
    before = line.contents()
    assert line.insert("ann", ticket=TIME)["code"] == "gone"
    assert line.contents() == before


def test_a_closed_and_paused_list_takes_imports_but_is_never_over_full(line: Line) -> None:
    line.init(open=False, paused=True, capacity=2)
    assert accepted(line.insert("ann", ticket=TIME))["outcome"] == "joined"
    assert accepted(line.insert("bob", ticket=TIME))["outcome"] == "joined"
    before = line.order()
    assert line.insert("cyd", ticket=TIME)["code"] == "waitlist_full"
    assert line.order() == before
    assert accepted(line.insert("ann", ticket=TIME))["outcome"] == "already"


def test_a_repeated_import_of_one_who_is_held_is_no_later_than_the_hold(line: Line) -> None:
    """An entry is imported, then claimed, then imported again. The last response has a lower stamp
    (logical timestamp) than the claim, because the claim has not ended (promise P4).
    """
    line.init()
    inserted = accepted(line.insert("ann", ticket=TIME))
    claim = accepted(line.claim())
    again = accepted(line.insert("ann", ticket=TIME))
    assert (again["outcome"], again["ticket"]) == ("already", TIME)
    assert inserted["stamp"] <= again["stamp"] < claim["stamp"]


def test_a_ticket_that_is_later_than_every_clock_stands_ahead_of_those_who_come(line: Line) -> None:
    """An imported entry may have a signup time in the future. People who sign up after the import
    still get places behind this entry (promise P1).
    """
    line.init()
    last = accepted(line.signup("ann"))["ticket"]
    line.insert("bob", ticket=last + 10**9)
    for name in ("cyd", "dan"):
        line.signup(name)
    assert line.order() == ["ann", "bob", "cyd", "dan"]


def test_imports_stand_in_their_segments(line: Line) -> None:
    line.init(segments_version=1)
    line.signup("late", **line.within("red"))
    line.insert("ann", ticket=TIME, **line.within("red", "blue"))
    line.insert("bob", ticket=TIME, **line.within("blue"))
    assert line.segment_counts("red", "blue") == {"red": 2, "blue": 2}
    assert line.claim_within("red", 2) == ["ann", "late"]
    assert line.claim_within("blue") == ["bob"]


def test_the_tickets_of_a_drawn_run_are_not_given_again(line: Line) -> None:
    """An import reserves a block of ticket numbers. They are higher than all earlier numbers and
    lower than the numbers of all later signups (promise P1).
    """
    line.init()
    line.signup("before")
    run = accepted(line.allocate_tickets(3))
    line.signup("after")
    second = accepted(line.allocate_tickets(2))
    assert run["stamp"] < run["first"] < run["first"] + 2 * run["apart"] < second["stamp"]
    for number in (2, 0, 1):
        line.insert(f"row {number}", ticket=run["first"] + number * run["apart"])
    assert line.order() == ["before", "row 0", "row 1", "row 2", "after"]


def test_a_bump_within_a_run_passes_one_entry_and_no_more(line: Line) -> None:
    """An import's ticket numbers have gaps, so there is a free rank (sort key) between any two rows
    (promise P1).
    """
    line.init()
    run = accepted(line.allocate_tickets(4))
    for number in range(4):
        line.insert(f"row {number}", ticket=run["first"] + number * run["apart"])
    line.bump("row 3", places=1)
    line.bump("row 2", places=1)
    assert line.order() == ["row 0", "row 1", "row 2", "row 3"]


def test_an_entry_at_a_drawn_place_stays_ahead_of_the_next_of_the_run(line: Line) -> None:
    """If another entry already has an imported row's rank (sort key), the row gets the next rank,
    which is still ahead of the following row (promise P1).
    """
    line.init()
    run = accepted(line.allocate_tickets(3))
    line.insert("row 0", ticket=run["first"])
    line.insert("row 2", ticket=run["first"] + 2 * run["apart"])
    drawn = 255 * TIER + run["first"] + run["apart"]
    line.restore("late", rank=drawn, ticket=run["stamp"])
    line.insert("row 1", ticket=run["first"] + run["apart"])
    assert line.order() == ["row 0", "late", "row 1", "row 2"]


def test_the_numbers_of_a_crowd_go_on_in_the_next_call(line: Line) -> None:
    """Imported people who signed up in the same millisecond get different ticket numbers, even if
    some of them have left the queue.
    """
    line.init()
    assert accepted(line.allocate_tickets(0, (TIME, 2), (TIME + 16, 1)))["offsets"] == [0, 0]
    line.insert("ann", ticket=TIME)
    line.insert("bob", ticket=TIME + 1)
    line.claim()
    assert accepted(line.allocate_tickets(1, (TIME, 3)))["offsets"] == [2]
    line.insert("cyd", ticket=TIME + 2)
    assert line.order() == ["bob", "cyd"]


def test_crowds_are_forgotten_after_a_day(line: Line) -> None:
    """P9"""
    line.init()
    line.allocate_tickets(0, (TIME, 2))
    left = line.client.ttl(keys.shared_milliseconds(line.waitlist_id))
    assert DAY_SECONDS - 60 < left <= DAY_SECONDS


@pytest.mark.parametrize("jump", [-HOUR_MICROS, HOUR_MICROS])
def test_a_clock_that_jumps_draws_no_run_twice(line: Line, jump: int) -> None:
    """P1"""
    line.init()
    first: Any = accepted(line.allocate_tickets(500))
    line.clock.advance(jump)
    assert accepted(line.allocate_tickets(1))["stamp"] > first["first"] + 499 * first["apart"]


def test_a_place_that_is_given_back_has_its_former_rank_and_the_new_ticket(line: Line) -> None:
    """A reinstated entry gets its former rank (sort key) back, even if it had been moved.

    Its ticket number is new (promise P1).
    """
    line.init()
    for name in ("ann", "bob", "cyd", "dan"):
        line.signup(name)
    line.bump("cyd", to="front")
    line.bump("dan", priority=255)
    line.bump("dan", to="front")
    for name in ("cyd", "dan", "bob"):
        before = {one: (rank, ticket) for one, rank, ticket in places_of(line)}
        order, (rank, ticket) = line.order(), before[line.id_of(name)]
        line.leave(name)
        line.signup(f"after {name}")
        back = accepted(line.insert(name, ticket=ticket + 1, stay=2, rank=rank))
        assert (back["outcome"], back["rank"], back["ticket"]) == ("joined", rank, ticket + 1)
        assert line.order() == [*order, f"after {name}"]
        assert accepted(line.position(name))["ticket"] == ticket + 1


def test_a_place_that_is_given_back_does_not_move_the_clock_of_tickets(line: Line) -> None:
    """A reinstated entry may get a rank (sort key) at the very front, which is not a valid ticket
    number. Later signups still get the usual ticket numbers (promise P1).
    """
    line.init()
    line.signup("ann")
    rank = 255 * TIER - 5
    line.leave("ann")
    line.insert("ann", ticket=TIME, stay=2, rank=rank)
    assert accepted(line.signup("bob"))["ticket"] < TIER // 2


def test_a_taken_rank_is_given_back_as_the_nearest_free_one_ahead(line: Line) -> None:
    """If a reinstated entry's former rank (sort key) is taken, the entry gets the nearest free rank
    ahead, between its former neighbours (promise P1).
    """
    line.init()
    for name, number in (("ann", 0), ("bob", 8), ("cyd", 16)):
        line.insert(name, ticket=TIME + number)
    rank = 255 * TIER + TIME + 8
    line.leave("bob")
    line.restore("eve", rank, TIME + 99)
    back = accepted(line.insert("bob", ticket=TIME + 9, stay=2, rank=rank))
    assert back["rank"] == rank - 1
    assert line.order() == ["ann", "bob", "eve", "cyd"]


def test_a_taken_rank_without_room_ahead_gives_the_next_free_one_behind(line: Line) -> None:
    """If a reinstated entry's former rank (sort key) is taken and there is no free rank ahead, the
    entry gets the next free rank behind (promise P1).
    """
    line.init()
    first = 255 * TIER - 2**40
    line.restore("eve", first, TIME)
    back = accepted(line.insert("bob", ticket=TIME + 9, stay=2, rank=first))
    assert back["rank"] == first + 1


def test_a_repeat_of_a_place_that_is_given_back_changes_nothing(line: Line) -> None:
    """A repeated message that reinstates a customer changes nothing.

    It is refused if the customer has left again (promise P2).
    """
    line.init()
    line.insert("ann", ticket=TIME)
    line.leave("ann")
    rank = 255 * TIER + TIME
    first = accepted(line.insert("ann", ticket=TIME + 1, stay=2, rank=rank))
    again = accepted(line.insert("ann", ticket=TIME + 1, stay=2, rank=rank))
    assert (again["outcome"], again["rank"]) == ("already", first["rank"])
    assert line.stats()["counters"]["signed_up"] == 2
    line.leave("ann", stay=2)
    assert line.insert("ann", ticket=TIME + 1, stay=2, rank=rank)["code"] == "gone"
    assert line.order() == []
