"""What an operator changes of a person: the place stays, the segments follow."""

from typing import Any

import pytest

from tests.service.api.agents import SEGMENTS, depths, elsewhere, places, staffed
from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions
from tests.support.gateway import OPERATOR_ARN

FRENCH = {"language": "French", "gender": "M"}
REASON = "speaks French now"


@pytest.fixture
def desk() -> Admissions:
    """Andrew, Billy, Christine, Courtney, Remy and Walter in line."""
    return staffed()


def test_an_edit_answers_the_person_as_operators_see_them(desk: Admissions) -> None:
    desk.bump("billy", priority=3)
    answer = desk.edit("billy", attributes=FRENCH, profile={"name": "Billy"})
    assert answer.status == 200
    assert answer.json == desk.page().json["entries"][0]
    assert answer.json["attributes"] == FRENCH
    assert answer.json["profile"] == {"name": "Billy"}
    assert (answer.json["position"], answer.json["total"], answer.json["priority"]) == (1, 6, 3)


def test_the_place_stays_and_the_segments_follow(desk: Admissions) -> None:
    """P1 P6"""
    before = desk.look("billy").json
    desk.edit("billy", attributes=FRENCH)
    assert desk.look("billy").json == before
    assert places(desk, "billy", "language") == {"French": (1, 3)}
    assert depths(desk)["English"] == 2
    assert desk.claimed(5, filter=FRENCH) == ["billy"]


def test_what_is_not_given_stays(desk: Admissions) -> None:
    desk.edit("billy", profile={"name": "Billy"})
    assert desk.person("billy").json["attributes"] == {"language": "English", "gender": "M"}
    desk.edit("billy", attributes={})
    person = desk.person("billy").json
    assert (person["attributes"], person["profile"]) == ({}, {"name": "Billy"})
    assert desk.claimed(5, filter={"language": "English"}) == ["andrew", "christine"]


def test_the_history_has_field_and_actor_of_a_change_and_no_value(desk: Admissions) -> None:
    """P8"""
    desk.edit("billy", attributes=FRENCH, profile={"name": "Billy"}, reason=REASON)
    desk.edit("billy", profile={"name": "William"})
    _, first, second = desk.person("billy").json["history"]
    del first["at"], second["at"]
    edited = {"event": "edited", "by": OPERATOR_ARN}
    changed = ["attributes", "profile"]
    assert first == {**edited, "reason": REASON, "detail": {"changed": changed}}
    assert second == {**edited, "reason": "", "detail": {"changed": ["profile"]}}


def test_a_repeat_changes_nothing_further(desk: Admissions) -> None:
    """P2"""
    first = desk.edit("billy", attributes=FRENCH, reason=REASON)
    with nothing_changes(desk.world):
        again = desk.edit("billy", attributes=FRENCH, reason=REASON)
    assert (again.status, again.json) == (200, first.json)
    assert desk.events("billy") == ["joined", "edited"]


@pytest.mark.parametrize("value", [1.0, True, "1", None, [1], {"a": 1}], ids=repr)
def test_any_other_value_is_a_change(desk: Admissions, value: Any) -> None:
    """Also one that Python takes for the same."""
    desk.edit("billy", profile={"a": 1, "b": {}})
    for _ in range(2):
        answer = desk.edit("billy", profile={"b": {}, "a": value})
        assert repr(answer.json["profile"]["a"]) == repr(value)
    assert desk.events("billy") == ["joined", "edited", "edited"]


def test_another_order_of_fields_is_no_change(desk: Admissions) -> None:
    desk.edit("billy", profile={"a": 1, "b": {}})
    desk.edit("billy", profile={"b": {}, "a": 1})
    assert desk.events("billy") == ["joined", "edited"]


def test_a_part_that_is_as_it_was_is_not_recorded_as_changed(desk: Admissions) -> None:
    attributes = desk.person("billy").json["attributes"]
    desk.edit("billy", attributes=attributes, profile={"name": "Billy"})
    assert desk.person("billy").json["history"][-1]["detail"] == {"changed": ["profile"]}


@pytest.mark.parametrize("status", ["offered", "parked"])
def test_whoever_is_aside_can_be_edited_and_comes_back_into_the_new_segments(
    desk: Admissions, status: str
) -> None:
    assert desk.claimed(2) == ["andrew", "billy"]
    if status == "parked":
        desk.park("billy")
    answer = desk.edit("billy", attributes=FRENCH)
    assert (answer.status, answer.json["status"], answer.json["position"]) == (200, status, None)
    assert depths(desk)["French"] == 2
    (desk.release if status == "offered" else desk.redrive)("billy")
    assert desk.claimed(5, filter={"language": "French"}) == ["billy", "christine", "remy"]


def test_an_edit_outlives_the_loss_of_redis(desk: Admissions) -> None:
    """P3"""
    desk.edit("billy", attributes=FRENCH)
    desk.world.redis.flushall()
    refused(desk.edit("billy", profile={}), 503, "rebuilding")
    desk.world.maintain()
    assert depths(desk)["French"] == 3
    assert desk.order()[1] == "billy"


def test_whom_redis_has_lost_is_put_back_and_edited(desk: Admissions) -> None:
    """P3"""
    desk.lose_place("billy")
    answer = desk.edit("billy", attributes=FRENCH)
    assert (answer.status, answer.json["position"]) == (200, 2)
    assert desk.claimed(1, filter=FRENCH) == ["billy"]


def test_an_instance_that_remembers_other_segments_edits_by_the_new_ones(desk: Admissions) -> None:
    other = elsewhere(desk)
    other.edit("billy", profile={"name": "Billy"})
    desk.configure(segments=[*SEGMENTS, ["age"]])
    desk.world.maintain()
    assert other.edit("billy", attributes={"age": "30"}).status == 200
    assert places(desk, "billy", "age") == {"30": (1, 1)}


def test_whoever_has_left_is_not_edited(desk: Admissions) -> None:
    """P5"""
    desk.leave("billy")
    with nothing_changes(desk.world):
        refused(desk.edit("billy", attributes=FRENCH), 409, "not_waiting")


def test_whoever_is_admitted_is_not_edited(desk: Admissions) -> None:
    """P4 P5"""
    desk.claim(2)
    desk.complete("billy")
    with nothing_changes(desk.world):
        refused(desk.edit("billy", attributes=FRENCH), 409, "already_admitted")


def test_nobody_who_is_unknown_or_erased_is_edited(desk: Admissions) -> None:
    """P5"""
    desk.erase("billy")
    with nothing_changes(desk.world):
        refused(desk.edit("billy", attributes=FRENCH), 404, "entry_not_found")
        refused(desk.edit("nobody", attributes=FRENCH), 404, "entry_not_found")
        desk.waitlist_id = "florist"
        refused(desk.edit("billy", attributes=FRENCH), 404, "waitlist_not_found")


BODIES: list[tuple[Any, str]] = [
    ({}, "body"),
    ({"reason": "why"}, "body"),
    ([], "body"),
    ({"attributes": None}, "body.attributes"),
    ({"attributes": []}, "body.attributes"),
    ({"attributes": {"language": []}}, "body.attributes.language.values"),
    ({"attributes": {"language": 5}}, "body.attributes.language.value"),
    ({"attributes": {"language": ["a", "b\n"]}}, "body.attributes.language.values.1"),
    ({"attributes": {f"a{number}": "x" for number in range(17)}}, "body.attributes"),
    ({"profile": None}, "body.profile"),
    ({"profile": "Billy"}, "body.profile"),
    ({"profile": {"a": "x" * 8184}}, "body.profile"),
    ({"profile": {}, "reason": None}, "body.reason"),
    ({"profile": {}, "reason": "x" * 501}, "body.reason"),
    ({"profile": {}, "status": "admitted"}, "body.status"),
    ({"profile": {}, "priority": 9}, "body.priority"),
    ({"profile": {}, "customer_id": "andrew"}, "body.customer_id"),
]


@pytest.mark.parametrize(("body", "field"), BODIES, ids=lambda one: str(one)[:40])
def test_a_wrong_edit_is_named(desk: Admissions, body: Any, field: str) -> None:
    """P5"""
    with nothing_changes(desk.world):
        path = desk.admin_entry("billy")
        answer = desk.world.request("PATCH", path, body=body, operator=True)
        refused(answer, 422, "invalid_request", field)


def test_a_body_that_is_not_json_or_too_large_is_refused(desk: Admissions) -> None:
    """P5"""
    path = desk.admin_entry("billy")
    with nothing_changes(desk.world):
        for body, status, code in (
            ('{"profile": {"a": "\\ud800"}}', 400, "invalid_json"),
            ("{", 400, "invalid_json"),
            (" " * 2**20, 413, "too_large"),
        ):
            answer = desk.world.request("PATCH", path, raw_body=body, operator=True)
            refused(answer, status, code)


def test_only_operators_edit(desk: Admissions) -> None:
    """P5: not even their own."""
    with nothing_changes(desk.world):
        for path in (desk.admin_entry("billy"), desk.entry("billy")):
            answer = desk.world.request(
                "PATCH", path, body={"profile": {}}, token=desk.token_of("billy")
            )
            assert answer.status in (401, 405)
