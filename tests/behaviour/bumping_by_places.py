"""bump by places: at least so many people ahead, into the nearest gap between two ranks."""

import pytest

from tests.support.line import Line, accepted
from waitlist_shared.ranks import TIER, priority_of

PEOPLE = [f"person {number}" for number in range(12)]


def spaced(line: Line, names: list[str]) -> None:
    """Sign people up with room between their ranks."""
    for name in names:
        line.clock.advance(10_000)
        accepted(line.signup(name))


def dense(line: Line, prefix: str, count: int) -> list[str]:
    """Sign people up at one instant: their tickets follow each other, with no gap."""
    names = [f"{prefix} {number}" for number in range(count)]
    for first in range(0, count, 500):
        requests = [
            line.message("signup", **line.stay(name)) for name in names[first : first + 500]
        ]
        accepted(line.handle({"op": "batch", "requests": requests}))
    return names


@pytest.mark.parametrize("places", [1, 2, 5, 10, 11])
def test_with_gaps_it_is_exactly_so_many_places(line: Line, places: int) -> None:
    """P6: the position that is told is the place taken, and nobody else changes order."""
    line.init()
    spaced(line, PEOPLE)
    moved = line.bump(PEOPLE[-1], places=places)
    expected = PEOPLE[:-1]
    expected.insert(len(expected) - places, PEOPLE[-1])
    assert (moved["outcome"], moved["position"], moved["total"]) == ("moved", 12 - places, 12)
    assert line.order() == expected


def test_more_places_than_people_ahead_lead_to_the_head(line: Line) -> None:
    line.init()
    spaced(line, PEOPLE)
    assert line.bump(PEOPLE[5], places=1_000_000_000)["position"] == 1
    assert line.order() == [PEOPLE[5], *PEOPLE[:5], *PEOPLE[6:]]


def test_the_head_stays_where_it_is(line: Line) -> None:
    line.init()
    spaced(line, PEOPLE)
    rank = line.position(PEOPLE[0])["rank"]
    answer = line.bump(PEOPLE[0], places=3)
    assert (answer["outcome"], answer["rank"], answer["position"]) == ("moved", rank, 1)


def test_in_a_run_without_gaps_it_is_the_next_gap_ahead(line: Line) -> None:
    """P1: at least 10 places, so behind the 300 people who came earlier."""
    line.init()
    early = dense(line, "early", 300)
    line.clock.advance(1_000_000)
    late = dense(line, "late", 400)
    moved = line.bump(late[-1], places=10)
    assert moved["position"] == len(early) + 1
    assert line.order() == [*early, late[-1], *late[:-1]]


def test_a_thousand_consecutive_tickets_leave_the_head_only(line: Line) -> None:
    line.init()
    names = dense(line, "person", 1_000)
    assert line.entries()[-1]["rank"] - line.entries()[0]["rank"] == 999
    assert line.bump(names[-1], places=10)["position"] == 1
    assert line.bump(names[500], places=1)["position"] == 2
    assert line.order() == [names[-1], names[500], *names[:500], *names[501:-1]]


def test_many_moves_into_one_gap_keep_everybody_apart(line: Line) -> None:
    """P1: a gap of 16 ranks fills up, then the next one ahead is taken."""
    line.init()
    spaced(line, ["first"])
    line.clock.advance(1_000)
    names = dense(line, "person", 40)
    for name in reversed(names):
        before = line.position(name)["position"]
        after = line.bump(name, places=1)["position"]
        assert after <= max(1, before - 1)
    ranks = [entry["rank"] for entry in line.entries()]
    assert len(set(ranks)) == 41
    assert ranks == sorted(ranks)


def test_a_move_to_the_head_of_a_priority_keeps_the_priority(line: Line) -> None:
    """P1: passing the last of one's own priority is not yet entering a higher one."""
    line.init()
    spaced(line, PEOPLE)
    line.bump(PEOPLE[0], priority=5)
    moved = line.bump(PEOPLE[-1], places=10)
    assert (moved["position"], priority_of(moved["rank"])) == (2, 0)


def test_a_move_past_a_higher_priority_takes_it_on(line: Line) -> None:
    line.init()
    spaced(line, PEOPLE)
    line.bump(PEOPLE[0], priority=5)
    line.bump(PEOPLE[1], priority=5)
    moved = line.bump(PEOPLE[-1], places=11)
    assert (moved["position"], priority_of(moved["rank"])) == (1, 5)


def test_a_move_leaves_room_for_many_more(line: Line) -> None:
    """P1: a thousand bumps to the head do not use up the ranks ahead of it."""
    line.init()
    spaced(line, PEOPLE)
    ranks = [line.bump(name, places=1_000)["rank"] for name in PEOPLE[1:] * 3]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[0] - ranks[-1] < 2**22
    assert priority_of(ranks[-1]) == 0


def test_the_first_rank_of_a_priority_is_passed_on_the_priority_above(line: Line) -> None:
    """P1: there is no rank of the same priority left ahead."""
    line.init()
    line.restore("ann", rank=255 * TIER, ticket=0)
    line.signup("bob")
    moved = line.bump("bob", places=1)
    assert moved["position"] == 1
    assert priority_of(moved["rank"]) == 1
    assert line.order() == ["bob", "ann"]


def test_ahead_of_the_very_first_rank_there_is_no_room(line: Line) -> None:
    """P5: the refusal changes nothing, and no ticket is drawn."""
    line.init()
    line.restore("ann", rank=0, ticket=0)
    line.restore("bob", rank=1, ticket=1)
    line.signup("eve")
    before = line.contents()
    for places in (1, 2):
        assert line.bump("eve", places=places)["code"] == "no_room"
    assert line.bump("eve", to="front")["code"] == "no_room"
    assert line.contents() == before


def test_the_very_first_rank_can_be_taken(line: Line) -> None:
    line.init()
    line.restore("ann", rank=1, ticket=1)
    line.signup("eve")
    moved = line.bump("eve", to="front")
    assert (moved["rank"], moved["position"]) == (0, 1)
