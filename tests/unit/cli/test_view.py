"""Looking, against the real service."""

import pytest

from tests.unit.cli.conftest import Bakery

NAMES = [f"p{number}" for number in range(12)]


def around(bakery: Bakery, name: str, count: int) -> list[tuple[str, int]]:
    words = [bakery.waitlist_id, "--customer", name, "-n", str(count)]
    shown = bakery.typed.json("around", *words)
    return [(one["customer_id"], one["position"]) for one in shown["entries"]]


def test_counts_are_shown(bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", attributes={"language": ["English", "Spanish"]})
    bakery.sign_up("cyd", attributes={"language": "Spanish"})
    assert bakery.typed.json("stats", bakery.waitlist_id)["waiting"] == 3
    assert "waiting\t3\n" in bakery.typed.done("stats", bakery.waitlist_id)
    found = bakery.typed.json("segments", bakery.waitlist_id)["segments"]
    assert [(one["segment"]["language"], one["waiting"]) for one in found] == [
        ("Spanish", 3),
        ("English", 2),
    ]
    assert "language=Spanish\t3\n" in bakery.typed.done("segments", bakery.waitlist_id)


def test_the_head_is_as_long_as_asked_for(bakery: Bakery) -> None:
    """P1"""
    bakery.sign_up(*NAMES)
    lines = bakery.typed.done("head", bakery.waitlist_id, "-n", "3").splitlines()
    assert lines[0].split("\t")[:3] == ["position", "entry_id", "customer_id"]
    assert [line.split("\t")[2] for line in lines[1:]] == NAMES[:3]


@pytest.mark.parametrize(
    ("place", "count", "expected"),
    [(6, 2, range(4, 9)), (1, 2, range(1, 4)), (12, 3, range(9, 13)), (2, 5, range(1, 8))],
)
def test_neighbours_are_those_just_before_and_just_after(
    bakery: Bakery, place: int, count: int, expected: range
) -> None:
    """P6"""
    bakery.sign_up(*NAMES)
    assert around(bakery, NAMES[place - 1], count) == [(NAMES[one - 1], one) for one in expected]


def test_who_does_not_wait_has_no_neighbours(bakery: Bakery) -> None:
    bakery.sign_up("ada")
    bakery.typed.done("claim", bakery.waitlist_id)
    result = bakery.typed("around", bakery.waitlist_id, "--customer", "ada")
    assert result.exit_code == 1
    assert "offered" in result.stderr
