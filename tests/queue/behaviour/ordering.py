"""Tests that entries stay in the order of their signups, even if the clock stops or jumps."""

from datetime import timedelta
from itertools import pairwise

from tests.support.line import Line, accepted
from waitlist_shared.limits import MAX_TICKET
from waitlist_shared.ranks import TIER, time_of

PEOPLE = [f"person {number}" for number in range(60)]
# At this time, there are just enough ticket numbers left for the people in this test.
BEFORE_END = 8 * 200
MICROS_OF_RANGE_END = 1_577_836_800_000_000 + (MAX_TICKET + 1 - BEFORE_END) * 1000 // 16


def test_a_ticket_contains_the_time_of_its_drawing(line: Line) -> None:
    line.init()
    ticket = line.signup("ann")["ticket"]
    assert time_of(ticket).timestamp() * 1_000_000 == line.clock.micros


def test_ranks_are_exact_to_the_end_of_their_range(line: Line) -> None:
    """Redis stores even the highest ranks (sort keys) without rounding them (promise P1)."""
    line.init()
    line.clock.micros = MICROS_OF_RANGE_END
    answers = line.all_sign_up(PEOPLE)
    first = MAX_TICKET + 1 - BEFORE_END
    assert [answer["ticket"] for answer in answers] == [first + 8 * n for n in range(len(PEOPLE))]
    ranks = [255 * TIER + answer["ticket"] for answer in answers]
    assert [answer["rank"] for answer in answers] == ranks
    assert [entry["rank"] for entry in line.entries()] == ranks
    assert [line.position(name)["rank"] for name in PEOPLE] == ranks
    assert line.order() == PEOPLE


def test_a_page_goes_on_exactly_behind_a_rank_near_the_end_of_the_range(line: Line) -> None:
    line.init()
    line.clock.micros = MICROS_OF_RANGE_END
    line.all_sign_up(PEOPLE)
    rank = line.position(PEOPLE[30])["rank"]
    page = line.list_waiting(after=rank, limit=1)
    assert page["entries"][0]["entry_id"] == line.id_of(PEOPLE[31])
    assert page["entries"][0]["rank"] == rank + 8
    assert page["next_rank"] == rank + 8


def test_between_two_signups_of_one_instant_seven_moves_fit(line: Line) -> None:
    """P1"""
    line.init()
    tickets = [answer["ticket"] for answer in line.all_sign_up(PEOPLE)]
    assert {later - earlier for earlier, later in pairwise(tickets)} == {8}


def test_signups_that_are_faster_than_the_clock_stay_near_it(line: Line) -> None:
    """Ticket numbers contain the time of the signup.

    No matter how fast people sign up, the numbers are at most one second ahead of the clock
    (promise P1).
    """
    line.init()
    names = [f"person {number}" for number in range(2_500)]
    for first in range(0, len(names), 500):
        some = names[first : first + 500]
        requests = [line.message("signup", **line.stay(name)) for name in some]
        accepted(line.handle({"op": "batch", "requests": requests}))
    tickets = [entry["ticket"] for entry in line.entries()]
    now = time_of(tickets[0])
    assert timedelta(seconds=1) < time_of(tickets[-1]) - now < timedelta(seconds=1.1)
    assert line.order() == names
    line.clock.advance(seconds=2)
    assert time_of(line.signup("zoe")["ticket"]) == now + timedelta(seconds=2)


def test_a_rejoin_stands_at_the_end(line: Line) -> None:
    """P1"""
    line.init()
    line.all_sign_up(["ann", "bob", "eve"])
    line.leave("ann")
    answer = line.signup("ann", stay=2)
    assert (answer["outcome"], answer["position"]) == ("joined", 3)
    assert line.order() == ["bob", "eve", "ann"]


def test_waitlists_are_independent_of_each_other(line: Line) -> None:
    line.init()
    other = line.of("cinema")
    other.init()
    line.all_sign_up(["ann", "bob"])
    assert other.signup("bob")["position"] == 1
    assert line.position("bob")["position"] == 2
    other.send("purge")
    assert line.order() == ["ann", "bob"]
