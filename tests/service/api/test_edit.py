"""Tests for operators' edits. An edited entry keeps its place and moves to the segments for its new
attributes.
"""

from typing import Any

import pytest

from tests.service.api.agents import SEGMENTS, elsewhere, places, segment_counts, staffed
from tests.service.api.refusing import nothing_changes, refused
from tests.support.admissions import Admissions
from tests.support.gateway import OPERATOR_ARN

FRENCH = {"language": "French", "gender": "M"}
REASON = "speaks French now"


@pytest.fixture
def people() -> Admissions:
    return staffed()


def test_an_edit_answers_the_person_as_operators_see_them(people: Admissions) -> None:
    people.bump("billy", priority=3)
    answer = people.edit("billy", attributes=FRENCH, profile={"name": "Billy"})
    assert answer.status == 200
    assert answer.json == people.page().json["entries"][0]
    assert answer.json["attributes"] == FRENCH
    assert answer.json["profile"] == {"name": "Billy"}
    assert (answer.json["position"], answer.json["total"], answer.json["priority"]) == (1, 6, 3)


def test_the_place_stays_and_the_segments_follow(people: Admissions) -> None:
    """P1 P6"""
    before = people.poll("billy").json
    people.edit("billy", attributes=FRENCH)
    assert people.poll("billy").json == before
    assert places(people, "billy", "language") == {"French": (1, 3)}
    assert segment_counts(people)["English"] == 2
    assert people.claimed(5, filter=FRENCH) == ["billy"]


def test_an_edit_keeps_the_fields_that_it_does_not_name(people: Admissions) -> None:
    people.edit("billy", profile={"name": "Billy"})
    assert people.person("billy").json["attributes"] == {"language": "English", "gender": "M"}
    people.edit("billy", attributes={})
    person = people.person("billy").json
    assert (person["attributes"], person["profile"]) == ({}, {"name": "Billy"})
    assert people.claimed(5, filter={"language": "English"}) == ["andrew", "christine"]


def test_the_history_has_field_and_actor_of_a_change_and_no_value(people: Admissions) -> None:
    """P8"""
    people.edit("billy", attributes=FRENCH, profile={"name": "Billy"}, reason=REASON)
    people.edit("billy", profile={"name": "William"})
    _, first, second = people.person("billy").json["history"]
    del first["at"], second["at"]
    edited = {"event": "edited", "by": OPERATOR_ARN}
    changed = ["attributes", "profile"]
    assert first == {**edited, "reason": REASON, "detail": {"changed": changed}}
    assert second == {**edited, "reason": "", "detail": {"changed": ["profile"]}}


def test_a_repeat_changes_nothing_further(people: Admissions) -> None:
    """P2"""
    first = people.edit("billy", attributes=FRENCH, reason=REASON)
    with nothing_changes(people.world):
        again = people.edit("billy", attributes=FRENCH, reason=REASON)
    assert (again.status, again.json) == (200, first.json)
    assert people.events("billy") == ["joined", "edited"]


@pytest.mark.parametrize("value", [1.0, True, "1", None, [1], {"a": 1}], ids=repr)
def test_any_other_value_is_a_change(people: Admissions, value: Any) -> None:
    """In Python, `True` equals 1, but the service still treats an edit from 1 to `True` as a
    change.
    """
    people.edit("billy", profile={"a": 1, "b": {}})
    for _ in range(2):
        answer = people.edit("billy", profile={"b": {}, "a": value})
        assert repr(answer.json["profile"]["a"]) == repr(value)
    assert people.events("billy") == ["joined", "edited", "edited"]


def test_a_different_order_of_fields_is_not_a_change(people: Admissions) -> None:
    people.edit("billy", profile={"a": 1, "b": {}})
    people.edit("billy", profile={"b": {}, "a": 1})
    assert people.events("billy") == ["joined", "edited"]


def test_a_part_that_is_as_it_was_is_not_recorded_as_changed(people: Admissions) -> None:
    attributes = people.person("billy").json["attributes"]
    people.edit("billy", attributes=attributes, profile={"name": "Billy"})
    assert people.person("billy").json["history"][-1]["detail"] == {"changed": ["profile"]}


@pytest.mark.parametrize("status", ["offered", "parked"])
def test_an_entry_off_the_queue_is_edited_and_returns_into_its_new_segments(
    people: Admissions, status: str
) -> None:
    assert people.claimed(2) == ["andrew", "billy"]
    if status == "parked":
        people.park("billy")
    answer = people.edit("billy", attributes=FRENCH)
    assert (answer.status, answer.json["status"], answer.json["position"]) == (200, status, None)
    assert segment_counts(people)["French"] == 2
    (people.release if status == "offered" else people.redrive)("billy")
    assert people.claimed(5, filter={"language": "French"}) == ["billy", "christine", "remy"]


def test_an_edit_outlives_the_loss_of_redis(people: Admissions) -> None:
    """P3"""
    people.edit("billy", attributes=FRENCH)
    people.world.redis.flushall()
    refused(people.edit("billy", profile={}), 503, "rebuilding")
    people.world.maintain()
    assert segment_counts(people)["French"] == 3
    assert people.order()[1] == "billy"


def test_an_edit_restores_an_entry_that_redis_lost(people: Admissions) -> None:
    """P3"""
    people.lose_place("billy")
    answer = people.edit("billy", attributes=FRENCH)
    assert (answer.status, answer.json["position"]) == (200, 2)
    assert people.claimed(1, filter=FRENCH) == ["billy"]


def test_an_instance_that_remembers_other_segments_edits_by_the_new_ones(
    people: Admissions,
) -> None:
    other = elsewhere(people)
    other.edit("billy", profile={"name": "Billy"})
    people.configure(segments=[*SEGMENTS, ["age"]])
    people.world.maintain()
    assert other.edit("billy", attributes={"age": "30"}).status == 200
    assert places(people, "billy", "age") == {"30": (1, 1)}


def test_an_entry_that_has_left_is_not_edited(people: Admissions) -> None:
    """P5"""
    people.leave("billy")
    with nothing_changes(people.world):
        refused(people.edit("billy", attributes=FRENCH), 409, "not_waiting")


def test_an_admitted_entry_is_not_edited(people: Admissions) -> None:
    """P4 P5"""
    people.claim(2)
    people.complete("billy")
    with nothing_changes(people.world):
        refused(people.edit("billy", attributes=FRENCH), 409, "already_admitted")


def test_an_unknown_or_erased_entry_is_not_edited(people: Admissions) -> None:
    """P5"""
    people.erase("billy")
    with nothing_changes(people.world):
        refused(people.edit("billy", attributes=FRENCH), 404, "entry_not_found")
        refused(people.edit("nobody", attributes=FRENCH), 404, "entry_not_found")
        people.waitlist_id = "florist"
        refused(people.edit("billy", attributes=FRENCH), 404, "waitlist_not_found")


BODIES: list[tuple[Any, str]] = [
    ({}, "body"),
    ({"reason": "why"}, "body"),
    ([], "body"),
    ({"attributes": None}, "body.attributes"),
    ({"attributes": []}, "body.attributes"),
    ({"attributes": {"language": []}}, "body.attributes.language"),
    ({"attributes": {"language": 5}}, "body.attributes.language"),
    ({"attributes": {"language": ["a", "b\n"]}}, "body.attributes.language.1"),
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
def test_a_wrong_edit_is_named(people: Admissions, body: Any, field: str) -> None:
    """P5"""
    with nothing_changes(people.world):
        path = people.admin_entry("billy")
        answer = people.world.request("PATCH", path, body=body, operator=True)
        refused(answer, 422, "invalid_request", field)


def test_a_body_that_is_not_json_or_too_large_is_refused(people: Admissions) -> None:
    """P5"""
    path = people.admin_entry("billy")
    with nothing_changes(people.world):
        for body, status, code in (
            ('{"profile": {"a": "\\ud800"}}', 400, "invalid_json"),
            ("{", 400, "invalid_json"),
            (" " * 2**20, 413, "too_large"),
        ):
            answer = people.world.request("PATCH", path, raw_body=body, operator=True)
            refused(answer, status, code)


def test_customers_do_not_edit_as_operators(people: Admissions) -> None:
    """Only operators can use this route. Customers cannot, even for their own entry
    (promise P5).
    """
    token = people.token_of("billy")
    with nothing_changes(people.world):
        answer = people.world.request(
            "PATCH", people.admin_entry("billy"), body={"profile": {}}, token=token
        )
        assert answer.status == 401


QUESTIONS = [
    {"name": "mobile", "label": "Mobile", "type": "tel"},
    {"name": "mail", "label": "Mail", "type": "email", "kept_in": "attributes"},
    {"name": "note", "label": "Note", "required": True},
]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"profile": {"mobile": "hello"}}, "body.profile.mobile"),
        ({"profile": {"mobile": 4915112345678}}, "body.profile.mobile"),
        ({"profile": {"mobile": "+49 1"}}, "body.profile.mobile"),
        ({"attributes": {"mail": "ada"}}, "body.attributes.mail"),
    ],
)
def test_a_new_answer_must_be_the_address_that_the_question_asks_for(
    people: Admissions, change: dict[str, Any], field: str
) -> None:
    people.configure(segments=SEGMENTS, page={"fields": QUESTIONS})
    with nothing_changes(people.world):
        answer = people.edit("billy", **change)
    refused(answer, 422, "invalid_request", field)
    for good in ({"mobile": "0151 2345678"}, {"mobile": ""}, {"internal": ["hello"]}):
        assert people.edit("billy", profile=good).status == 200


def test_an_answer_that_is_older_than_its_question_can_stay(people: Admissions) -> None:
    people.edit("billy", profile={"mobile": "ask at the desk"})
    people.configure(segments=SEGMENTS, page={"fields": QUESTIONS})
    answer = people.edit("billy", profile={"mobile": "ask at the desk", "note": "x"})
    assert answer.status == 200
