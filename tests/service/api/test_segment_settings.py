"""Which segments a waitlist declares, and how they are echoed."""

from typing import Any

import pytest

from tests.service.api.agents import new_desk
from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions
from tests.support.people import People

MANY = [[f"a{number}"] for number in range(17)]
NO_LISTS: list[Any] = [None, {}, "language", 5, MANY]
NO_NAMES: list[Any] = ["Language", "", "a b", "ä", "a\n", 5]
# What is declared, and the field that is named.
WRONG: list[tuple[Any, str]] = [
    *[(value, "body.segments") for value in NO_LISTS],
    ([[]], "body.segments.0"),
    ([["language"], None], "body.segments.1"),
    (["language"], "body.segments.0"),
    ([{"language": "Spanish"}], "body.segments.0"),
    ([["language", "language"]], "body.segments.0"),
    ([["gender", "language", "gender"]], "body.segments.0"),
    ([[f"a{number}" for number in range(9)]], "body.segments.0"),
    ([["language"], ["language"]], "body.segments"),
    ([["language", "gender"], ["gender", "language"]], "body.segments"),
    *[([["gender", name]], "body.segments.0.1") for name in NO_NAMES],
]


@pytest.fixture(scope="module")
def desk() -> Admissions:
    return new_desk()


@pytest.mark.parametrize(("segments", "field"), WRONG, ids=lambda one: ascii(one)[:40])
def test_a_wrong_declaration_is_named(desk: Admissions, segments: Any, field: str) -> None:
    """P5"""
    with nothing_changes(desk.world):
        refused(desk.configure(segments=segments), 422, "invalid_request", field)


def test_a_segment_that_is_declared_twice_is_named_by_its_attributes(desk: Admissions) -> None:
    problem = desk.configure(segments=[["b", "a"], ["c"], ["a", "b"]]).json
    assert "declared more than once: a+b" in problem["errors"][0]["message"]


def test_names_and_segments_are_echoed_in_their_order() -> None:
    desk = new_desk()
    answer = desk.configure(segments=[["language"], ["status", "gender", "language"], ["gender"]])
    canonical = [["gender"], ["gender", "language", "status"], ["language"]]
    assert (answer.status, answer.json["segments"]) == (200, canonical)
    shown = desk.world.request("GET", desk.admin_path, operator=True).json
    assert (shown["segments"], shown["segments_state"]) == (canonical, "ready")
    listed = desk.world.request("GET", "/v1/admin/waitlists", operator=True).json
    assert listed["waitlists"] == [shown]


def test_as_many_as_may_be_are_taken() -> None:
    most = [[f"a{number:02}", *(f"b{one}" for one in range(7))] for number in range(16)]
    assert new_desk().configure(segments=most).json["segments"] == most


def test_a_list_declares_none_by_default(people: People) -> None:
    shown = people.world.request("GET", people.admin_path, operator=True).json
    assert (shown["segments"], shown["segments_state"]) == ([], "ready")


def test_customers_do_not_see_the_segments(desk: Admissions) -> None:
    assert "segments" not in desk.world.request("GET", desk.path).json


def test_segments_that_change_while_people_wait_are_built() -> None:
    desk = new_desk()
    desk.sign_up("ada", attributes={"language": "Spanish", "gender": "F"})
    changed = desk.configure(segments=[["gender"]])
    assert (changed.status, changed.json["segments_state"]) == (200, "building")
    desk.world.maintain()
    shown = desk.world.request("GET", desk.admin_path, operator=True).json
    assert (shown["segments"], shown["segments_state"]) == ([["gender"]], "ready")
    assert desk.claimed(filter={"gender": "F"}) == ["ada"]


def test_other_settings_leave_the_segments_as_they_are() -> None:
    desk = new_desk(segments=[["language", "gender"], ["language"]])
    desk.sign_up("ada", attributes={"language": "Spanish"})
    changed = desk.configure(segments=[["language"], ["gender", "language"]], lease_seconds=5)
    assert changed.json["segments_state"] == "ready"
    assert desk.claimed(filter={"language": "Spanish"}) == ["ada"]
