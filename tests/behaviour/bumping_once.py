"""bump with a once_key: the same wish delivered twice moves once."""

import pytest

from tests.support.line import Line, once_key_of

PEOPLE = [f"person {number}" for number in range(8)]
LAST = PEOPLE[-1]


def spaced(line: Line) -> None:
    line.init()
    for name in PEOPLE:
        line.clock.advance(10_000)
        line.signup(name)


@pytest.mark.parametrize("where", [{"places": 2}, {"priority": 4}, {"to": "front"}, {"to": "back"}])
def test_a_repeated_bump_moves_once(line: Line, where: dict[str, object]) -> None:
    """P2: the repeat is told the place as it is now, and the stamp of the move."""
    spaced(line)
    name = PEOPLE[4]
    moved = line.bump(name, once=1, **where)
    again = line.bump(name, once=1, **where)
    assert (moved["outcome"], again["outcome"]) == ("moved", "repeat")
    same = ("rank", "ticket", "position", "total", "moved_stamp")
    assert [again[key] for key in same] == [moved[key] for key in same]
    assert moved["moved_stamp"] == moved["stamp"] < again["stamp"]


def test_a_repeat_after_another_move_does_not_undo_it(line: Line) -> None:
    """P2: of two moves the later one stays, however late the first is repeated."""
    spaced(line)
    first = line.bump(LAST, once=1, to="front")
    line.bump(LAST, once=2, to="back")
    again = line.bump(LAST, once=1, to="front")
    assert (again["outcome"], again["position"]) == ("repeat", 8)
    assert again["moved_stamp"] == first["stamp"]


def test_another_key_moves_again(line: Line) -> None:
    spaced(line)
    assert line.bump(LAST, once=1, places=1)["position"] == 7
    assert line.bump(LAST, once=2, places=1)["position"] == 6


def test_a_key_counts_for_one_person_only(line: Line) -> None:
    spaced(line)
    assert line.bump(PEOPLE[6], once=1, to="front")["outcome"] == "moved"
    assert line.bump(PEOPLE[7], once=1, to="front")["outcome"] == "moved"


def test_a_refused_bump_does_not_use_up_its_key(line: Line) -> None:
    """P2: the retry after a refusal is a first try."""
    spaced(line)
    assert line.bump("zoe", once=1, to="front")["code"] == "not_waiting"
    line.signup("zoe")
    assert line.bump("zoe", once=1, to="front")["outcome"] == "moved"


def test_a_key_is_forgotten_when_its_time_is_up(line: Line) -> None:
    spaced(line)
    line.bump(LAST, once=1, to="front", once_seconds=60)
    line.bump(LAST, once=2, to="front")
    assert 0 < line.client.ttl(_key(line, 1)) <= 60
    assert 60 < line.client.ttl(_key(line, 2)) <= 24 * 3600


def _key(line: Line, once: int) -> str:
    return f"wl:{{bakery-opening}}:once:{line.id_of(LAST)}:{once_key_of(once)}"
