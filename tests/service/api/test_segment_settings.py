"""Tests the `segments` setting, with which an operator declares a waitlist's segments."""

from typing import Any

import pytest

from tests.service.api.agents import new_people
from tests.service.api.conftest import new_list
from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions

MANY = [[f"a{number}"] for number in range(17)]
NO_LISTS: list[Any] = [None, {}, "language", 5, MANY]
NO_NAMES: list[Any] = ["Language", "", "a b", "ä", "a\n", 5]
# Invalid declarations of segments, each with the field that the error names.
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
def people() -> Admissions:
    return new_people()


@pytest.mark.parametrize(("segments", "field"), WRONG, ids=lambda one: ascii(one)[:40])
def test_a_wrong_declaration_is_named(people: Admissions, segments: Any, field: str) -> None:
    """P5"""
    with nothing_changes(people.world):
        refused(people.configure(segments=segments), 422, "invalid_request", field)


def test_a_segment_that_is_declared_twice_is_named_by_its_attributes(people: Admissions) -> None:
    problem = people.configure(segments=[["b", "a"], ["c"], ["a", "b"]]).json
    assert "declared more than once: a+b" in problem["errors"][0]["message"]


def test_names_and_segments_are_echoed_in_their_order() -> None:
    people = new_people()
    answer = people.configure(segments=[["language"], ["status", "gender", "language"], ["gender"]])
    canonical = [["gender"], ["gender", "language", "status"], ["language"]]
    assert (answer.status, answer.json["segments"]) == (200, canonical)
    shown = people.world.request("GET", people.admin_path, operator=True).json
    assert (shown["segments"], shown["segments_state"]) == (canonical, "ready")
    listed = people.world.request("GET", "/v1/admin/waitlists", operator=True).json
    assert listed["waitlists"] == [shown]


def test_as_many_as_may_be_are_taken() -> None:
    most = [[f"a{number:02}", *(f"b{one}" for one in range(7))] for number in range(16)]
    assert new_people().configure(segments=most).json["segments"] == most


def test_a_new_waitlist_has_no_segments() -> None:
    people = new_list()
    shown = people.world.request("GET", people.admin_path, operator=True).json
    assert (shown["segments"], shown["segments_state"]) == ([], "ready")


def test_customers_do_not_see_the_segments(people: Admissions) -> None:
    assert "segments" not in people.world.request("GET", people.path).json


def test_segments_that_change_while_people_wait_are_built() -> None:
    people = new_people()
    people.sign_up("ada", attributes={"language": "Spanish", "gender": "F"})
    changed = people.configure(segments=[["gender"]])
    assert (changed.status, changed.json["segments_state"]) == (200, "building")
    people.world.maintain()
    shown = people.world.request("GET", people.admin_path, operator=True).json
    assert (shown["segments"], shown["segments_state"]) == ([["gender"]], "ready")
    assert people.claimed(filter={"gender": "F"}) == ["ada"]


def test_other_settings_leave_the_segments_as_they_are() -> None:
    people = new_people(segments=[["language", "gender"], ["language"]])
    people.sign_up("ada", attributes={"language": "Spanish"})
    changed = people.configure(segments=[["language"], ["gender", "language"]], lease_seconds=5)
    assert changed.json["segments_state"] == "ready"
    assert people.claimed(filter={"language": "Spanish"}) == ["ada"]
