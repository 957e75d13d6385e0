"""Tests of the commands that show a waitlist, against the real service."""

from typing import Any

import pytest

from tests.unit.cli.conftest import Bakery
from tests.unit.cli.fake_service import FakeService, answer
from tests.unit.cli.typed import Typed
from waitlist_cli.commands.view import readable

NAMES = [f"p{number}" for number in range(12)]


def read_neighbours(bakery: Bakery, name: str, count: int) -> list[tuple[str, int]]:
    words = [bakery.waitlist_id, "--customer", name, "-n", str(count)]
    shown = bakery.typed.json("around", *words)
    return [(one["customer_id"], one["position"]) for one in shown["entries"]]


def test_the_counts_of_a_list_are_shown(bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob", attributes={"language": ["English", "Spanish"]})
    bakery.sign_up("cyd", attributes={"language": "Spanish"})
    assert bakery.typed.json("stats", bakery.waitlist_id)["waiting"] == 3
    assert "waiting\t3\n" in bakery.typed.run("stats", bakery.waitlist_id)
    found = bakery.typed.json("segments", bakery.waitlist_id)["segments"]
    assert [(one["segment"]["language"], one["waiting"]) for one in found] == [
        ("Spanish", 3),
        ("English", 2),
    ]
    assert "language=Spanish\t3\n" in bakery.typed.run("segments", bakery.waitlist_id)


def test_the_estimated_wait_is_shown_in_words_or_a_reason_why_it_is_unknown(bakery: Bakery) -> None:
    bakery.sign_up("ada")
    counted = bakery.typed.run("stats", bakery.waitlist_id)
    assert "estimate_unavailable\tunknown\n" in counted
    assert "estimated_wait_seconds\t" in counted
    found = {"estimated_wait": {"seconds": 183_600, "low": 90_000, "high": 266_400}}
    stats = {"waiting": 9, "oldest_waiting_seconds": 4_000, **found, "estimate_unavailable": None}
    assert readable(stats) == {
        "waiting": "9",
        "oldest_waiting": "1 h 6 min",
        "estimated_wait": "2 d 3 h (1 d 1 h to 3 d 2 h)",
    }
    assert (
        readable({**stats, "estimated_wait": None, "estimate_unavailable": "paused"})[
            "estimated_wait"
        ]
        == "paused"
    )


def test_the_counts_over_time_are_shown_point_by_point(bakery: Bakery) -> None:
    bakery.sign_up("ada", "bob")
    words = ("stats", bakery.waitlist_id, "--history", "--period", "hour")
    found = bakery.typed.json(*words)
    assert (found["period"], found["step_seconds"]) == ("hour", 60)
    lines = [line.split("\t") for line in bakery.typed.run(*words).splitlines()]
    assert lines[0][:4] == ["at", "joined", "admitted", "left"]
    assert [line[0] for line in lines[1:]] == [one["at"] for one in found["points"]]


def test_the_head_can_begin_at_a_position(bakery: Bakery) -> None:
    bakery.sign_up(*NAMES[:4])
    words = [bakery.waitlist_id, "--first", "3"]
    shown = bakery.typed.json("head", *words)["entries"]
    assert [one["customer_id"] for one in shown] == NAMES[2:4]


def test_the_pages_after_a_position_follow_the_cursor(fake: FakeService) -> None:
    page = {"entries": [{"entry_id": "a" * 26}], "cursor": "more"}
    fake.script = [answer(200, page), answer(200, {**page, "cursor": None})]
    Typed(fake.url).json("head", "bakery", "--first", "312", "-n", "200")
    first, second = [path for _, path, _, _ in fake.requests]
    assert ("first=312" in first, "first=" in second) == (True, False)


def test_people_are_found_by_a_part_of_their_id_in_any_case(bakery: Bakery) -> None:
    bakery.sign_up("Ada.Lovelace", "bob", "lovelace-2")
    bakery.typed.run("claim", bakery.waitlist_id)
    shown = bakery.typed.json("find", bakery.waitlist_id, "LOVELACE")["entries"]
    found = [(one["customer_id"], one["status"]) for one in shown]
    assert found == [("lovelace-2", "waiting"), ("Ada.Lovelace", "offered")]
    result = bakery.typed("find", bakery.waitlist_id, "ada", "--max", "1")
    assert "Ada.Lovelace" in result.stdout
    assert "--max limited the search to the first 1 waiting people" in result.stderr


def test_a_person_whose_status_changes_during_the_search_is_found_once(fake: FakeService) -> None:
    bakery = Typed(fake.url)
    ada: dict[str, Any] = {"entry_id": "a" * 26, "customer_id": "ada", "call_number": None}
    ada |= {"profile": {}, "attributes": {}}
    twice = [[{**ada, "status": status}] for status in ("waiting", "offered")]
    pages = [*twice, *[[]] * 3]
    fake.script = [answer(200, {"entries": page, "cursor": None}) for page in pages]
    (found,) = bakery.json("find", "bakery", "ada")["entries"]
    assert found["status"] == "waiting"


def test_people_are_shown_and_found_by_their_call_number(bakery: Bakery) -> None:
    bakery.typed.run("edit", bakery.waitlist_id, "--call-numbers-prefix", "A")
    bakery.sign_up("ada", "bob")
    assert "A001" in bakery.typed.run("head", bakery.waitlist_id)
    (found,) = bakery.typed.json("find", bakery.waitlist_id, "a002")["entries"]
    assert (found["customer_id"], found["call_number"]) == ("bob", "A002")
    claimed = bakery.typed.run("claim", bakery.waitlist_id)
    assert "A001" in claimed
    shown = bakery.typed.run("show", bakery.waitlist_id)
    assert "A001, A002, …, which start over every day" in shown


def test_the_head_has_the_requested_length(bakery: Bakery) -> None:
    """P1"""
    bakery.sign_up(*NAMES)
    lines = bakery.typed.run("head", bakery.waitlist_id, "-n", "3").splitlines()
    columns = ["position", "call_number", "entry_id", "customer_id"]
    assert lines[0].split("\t")[:4] == columns
    assert [line.split("\t")[3] for line in lines[1:]] == NAMES[:3]


@pytest.mark.parametrize(
    ("place", "count", "expected"),
    [(6, 2, range(4, 9)), (1, 2, range(1, 4)), (12, 3, range(9, 13)), (2, 5, range(1, 8))],
)
def test_neighbours_are_the_entries_just_before_and_just_after(
    bakery: Bakery, place: int, count: int, expected: range
) -> None:
    """P6"""
    bakery.sign_up(*NAMES)
    assert read_neighbours(bakery, NAMES[place - 1], count) == [
        (NAMES[one - 1], one) for one in expected
    ]


def test_an_entry_that_is_not_waiting_has_no_neighbours(bakery: Bakery) -> None:
    bakery.sign_up("ada")
    bakery.typed.run("claim", bakery.waitlist_id)
    result = bakery.typed("around", bakery.waitlist_id, "--customer", "ada")
    assert result.exit_code == 1
    assert "offered" in result.stderr
