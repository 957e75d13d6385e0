"""Tests for PATCH requests, which change some of a waitlist's settings. With an `If-Match` header,
such a request fails if another operator has changed the settings in the meantime.
"""

from typing import Any

import msgspec
import pytest

from tests.support.faults import Wire, before, lost
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import World
from waitlist_api.settings.waitlist import WaitlistSettings

SETTINGS: dict[str, Any] = {
    "capacity": 9,
    "segments": [["language"]],
    "admission": {"rate": {"count": 5, "per": "hour"}, "max_inside": 5, "offer_seconds": 60},
}


@pytest.fixture
def people() -> People:
    people = People(World.on(new_table(), empty_redis()))
    assert people.configure(**SETTINGS).headers["etag"] == '"1"'
    return people


def change(people: People, body: Any, etag: str | None = None, method: str = "PATCH") -> Answer:
    headers = {"if-match": etag} if etag else {}
    path = people.admin_path
    return people.world.request(method, path, body=body, operator=True, headers=headers)


def settings(people: People) -> Any:
    return people.world.request("GET", people.admin_path, operator=True).json


def hide_counts(people: People) -> None:
    """Change a setting without HTTP, as a second operator would. The tests' HTTP server handles
    only one request at a time.
    """
    now = people.world.services.waitlist_cache.look_up(people.waitlist_id)
    changed = msgspec.structs.replace(now.settings, hide_counts=True)
    people.world.services.waitlists.put(people.waitlist_id, changed, now.version)


def test_a_change_leaves_the_other_settings(people: People) -> None:
    before = settings(people)
    answer = change(people, {"capacity": 12, "open": False})
    assert (answer.status, answer.headers["etag"]) == (200, '"2"')
    after = settings(people)
    assert {name for name in before if before[name] != after[name]} <= {
        "capacity",
        "open",
        "version",
        "updated_at",
    }
    assert (after["capacity"], after["open"], after["version"]) == (12, False, 2)
    assert people.sign_up("ada").code == "waitlist_closed"


def test_objects_merge_and_null_gives_the_default_back(people: People) -> None:
    change(people, {"admission": {"max_inside": 7}, "capacity": None})
    admission = settings(people)["admission"]
    assert (admission["max_inside"], admission["offer_seconds"]) == (7, 60)
    assert settings(people)["capacity"] is None
    change(people, {"admission": None, "segments": []})
    assert (settings(people)["admission"], settings(people)["segments"]) == (None, [])


def test_a_change_to_the_present_settings_writes_nothing(people: People) -> None:
    whole = {"name": "Bakery", **SETTINGS, "confirm": {"every_days": 7, "answer_days": 2}}
    change(people, whole)
    before = settings(people)
    people.world.clock.advance(60)
    same = [("PUT", whole), ("PATCH", whole), ("PATCH", {}), ("PATCH", {"admission": {}})]
    for method, body in same:
        for etag in (None, '"2"'):
            answer = change(people, body, etag, method)
            assert (answer.status, answer.headers["etag"], answer.json) == (200, '"2"', before)
        assert change(people, body, '"1"', method).code == "settings_changed"
    assert settings(people) == before


def test_a_repeat_sends_redis_the_change_that_it_has_missed(people: People) -> None:
    wire = Wire()
    world = World.on(people.world.dynamodb, people.world.redis, wire.client)
    wire.arm(0, lost)
    assert change(People(world), {"capacity": 1}).status == 503
    assert change(people, {"capacity": 1}).headers["etag"] == '"2"'
    assert [people.sign_up(name).status for name in ("ada", "bob")] == [201, 409]


def test_the_whole_is_validated(people: People) -> None:
    night = {"admission": {"offer_hours": {"from": "22:00", "to": "24:00", "timezone": "UTC"}}}
    assert "a time of day, such as" in change(people, night).json["detail"]
    unknown = ({"other": 1}, {"max_claim": None}, {"admission": {"max_insid": None}})
    for wrong in ({"name": None}, {"capacity": "many"}, {"admission": {"rate": 5}}, *unknown):
        answer = change(people, wrong)
        assert (answer.status, answer.code) == (422, "invalid_request"), wrong
        assert answer.json["errors"][0]["field"].startswith("body."), answer.json
    assert settings(people)["version"] == 1
    # An operator can send null instead of the texts in a language. The service does not store the
    # null.
    words = {"kinds": ["joined"], "texts": {"en": None}}
    assert change(people, {"messages": words, "rest": {"times": None}}).status == 200


def test_the_times_of_a_list_stay_in_order(people: People) -> None:
    change(people, {"opens_at": "2026-12-01T09:00:00.1234Z", "closes_at": "2026-12-02T09:00:00Z"})
    late = {"field": "body.closes_at", "message": "must be later than opens_at"}
    for wrong in (
        {"opens_at": "2026-12-02T09:00:00Z"},
        {"closes_at": "2026-12-01T09:00:00.123Z"},
        {"closes_at": "0001-01-01T00:00:00Z"},
    ):
        assert change(people, wrong).json["errors"] == [late]
    assert settings(people)["opens_at"] == "2026-12-01T09:00:00.123Z"
    change(people, {"opens_at": None, "closes_at": "0001-01-01T00:00:00Z"})
    assert people.sign_up("ada").code == "waitlist_closed"
    change(people, {"opens_at": "9999-12-31T23:59:59Z", "closes_at": None})
    assert people.sign_up("ada").json["opens_at"] == "9999-12-31T23:59:59.000Z"


def test_a_list_that_is_not_there_is_not_made(people: People) -> None:
    path = "/v1/admin/waitlists/other"
    for method, body in (("PATCH", {"open": False}), ("PUT", {"name": "Other"})):
        headers = {"if-match": '"1"'}
        answer = people.world.request(method, path, body=body, operator=True, headers=headers)
        assert answer.code == "waitlist_not_found"


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_a_change_of_other_settings_than_were_seen_is_refused(people: People, method: str) -> None:
    change(people, {"capacity": 10})
    body = {"name": "Bakery", **SETTINGS, "capacity": 11}
    answer = change(people, body, '"1"', method)
    assert (answer.status, answer.code) == (412, "settings_changed")
    assert {"field": "body.capacity", "message": "is 10 now"} in answer.json["errors"]
    assert settings(people)["capacity"] == 10
    assert change(people, body, '"2"', method).status == 200


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_if_match_is_any_version_or_one_of_several(people: People, method: str) -> None:
    body = {"name": "Bakery", **SETTINGS}
    any_of = ("*", '"1"', '"1", "2"', '"2","1"', 'W/"1","other"\t,"1"', '"0,9", "1"', ', "1" ,,')
    for etag in any_of:
        assert change(people, body, etag, method).status == 200, etag
    for etag in ('"2"', 'W/"1"', '""', '"01"', '"other"', '"2","3"', 'W/"1", "2"', '",1,"'):
        answer = change(people, body, etag, method)
        assert (answer.status, answer.code) == (412, "settings_changed"), etag
    for etag in ("1", "**", '"1" "2"', '"1', '*, "1"', ",", 'w/"1"', "'1'"):
        answer = change(people, body, etag, method)
        assert (answer.status, answer.json["errors"][0]["field"]) == (422, "header.if-match"), etag
    headers = {"if-match": "*"}
    path = "/v1/admin/waitlists/other"
    answer = people.world.request(method, path, body=body, operator=True, headers=headers)
    assert answer.code == "waitlist_not_found"


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_if_match_of_any_version_outlasts_another_change(people: People, method: str) -> None:
    wire = Wire()
    world = World.on(wire.client(people.world.dynamodb), people.world.redis)
    wire.arm(1, before(lambda: hide_counts(people)))
    body = {"name": "Bakery", **SETTINGS, "capacity": 20}
    assert change(People(world), body, "*", method).headers["etag"] == '"3"'
    assert (settings(people)["capacity"], settings(people)["hide_counts"]) == (
        20,
        method == "PATCH",
    )


def test_a_list_is_deleted_only_in_the_version_that_was_seen(people: People) -> None:
    def delete(world: World, etag: str) -> Answer:
        headers = {"if-match": etag}
        return world.request("DELETE", people.admin_path, operator=True, headers=headers)

    answer = delete(people.world, '"2"')
    assert (answer.status, answer.code) == (412, "settings_changed")
    assert answer.json["detail"] == (
        "The settings have changed since the version in If-Match. Get the waitlist, decide again, "
        "and send the request with the new ETag."
    )
    wire = Wire()
    world = World.on(wire.client(people.world.dynamodb), people.world.redis)
    wire.arm(1, before(lambda: hide_counts(people)))
    assert delete(world, '"1"').code == "settings_changed"
    assert settings(people)["version"] == 2
    assert delete(people.world, '"2"').status == 204
    assert delete(people.world, "*").code == "waitlist_not_found"


def put(world: World, body: Any, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    path = "/v1/admin/waitlists/other"
    return world.request("PUT", path, body=body, operator=True, headers=named)


WHOLE = {
    "name": "Other",
    "segments": [["language", "gender"], ["country"]],
    "admission": {"schedule": [{"cron": "0 9 * * *", "timezone": "Europe/Berlin", "count": 5}]},
    "opens_at": "2026-12-01T09:00:00Z",
    "confirm": {"every_days": 7, "answer_days": 2, "reminders_days": [1]},
    "identity": {"field": "email"},
    "rest": {},
}


def test_if_none_match_of_any_version_creates_and_replaces_nothing(people: People) -> None:
    new = put(people.world, WHOLE, if_none_match="*")
    assert (new.status, new.headers["etag"]) == (201, '"1"')
    # If the response to the first request was lost, the operator repeats the request and learns
    # that the waitlist exists.
    repeat = put(people.world, WHOLE, if_none_match="*")
    assert (repeat.status, repeat.code, repeat.json["errors"]) == (412, "waitlist_exists", [])
    other = put(people.world, {**WHOLE, "capacity": 3}, if_none_match="*")
    assert other.json["errors"] == [{"field": "body.capacity", "message": "is null now"}]
    assert "capacity" in other.json["detail"]
    assert put(people.world, WHOLE).headers["etag"] == '"1"'
    people.world.request("DELETE", "/v1/admin/waitlists/other", operator=True)
    assert put(people.world, WHOLE, if_none_match="*").code == "waitlist_deleting"


@pytest.mark.parametrize(("if_none_match", "if_match"), [('"2"', None), ("*", '"1"'), ("*", "*")])
def test_if_none_match_is_an_asterisk_and_stands_alone(
    people: People, if_none_match: str, if_match: str | None
) -> None:
    """The `If-None-Match` header allows only the value `*`, and a request that contains it must not
    contain `If-Match`.
    """
    headers = {"if_none_match": if_none_match} | ({"if_match": if_match} if if_match else {})
    answer = put(people.world, WHOLE, **headers)
    assert (answer.status, answer.json["errors"][0]["field"]) == (422, "header.if-none-match")


def test_of_two_who_create_at_once_one_does(people: People) -> None:
    wire = Wire()
    world = World.on(wire.client(people.world.dynamodb), people.world.redis)
    theirs = WaitlistSettings(name="Theirs")
    wire.arm(0, before(lambda: people.world.services.waitlists.put("other", theirs)))
    assert put(world, {"name": "Mine"}, if_none_match="*").code == "waitlist_exists"
    assert put(people.world, {"name": "Theirs"}).headers["etag"] == '"1"'


@pytest.mark.parametrize("step", range(4))
def test_changes_of_two_operators_at_once_both_stand(people: People, step: int) -> None:
    wire = Wire()
    world = World.on(wire.client(people.world.dynamodb), people.world.redis, wire.client)
    wire.arm(step, before(lambda: hide_counts(people)))
    assert change(People(world), {"capacity": 20}).status == 200
    assert len(wire.calls) > step
    after = settings(people)
    assert (after["capacity"], after["hide_counts"], after["version"]) == (20, True, 3)


ENTRANCE = {"page": {"enter_url": "https://shop.example.com/enter"}}


def test_each_answer_about_the_settings_says_what_they_lack(people: People) -> None:
    lacking = {"name": "Bakery", **ENTRANCE}
    answers = [
        change(people, lacking, method="PUT"),
        change(people, ENTRANCE),
        people.world.request("GET", people.admin_path, operator=True),
    ]
    (listed,) = people.world.request("GET", "/v1/admin/waitlists", operator=True).json["waitlists"]
    for shown in (*(one.json for one in answers), listed):
        (warning,) = shown["warnings"]
        assert warning["code"] == "enter_url_without_policy"
        assert warning["settings"] == ["page.enter_url", "admission"]
        assert "Set `admission`" in warning["message"]


def test_a_warning_ends_with_the_setting_that_was_missing(people: People) -> None:
    assert change(people, {**ENTRANCE, "admission": None}).json["warnings"] != []
    assert change(people, {"admission": SETTINGS["admission"]}).json["warnings"] == []


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_settings_by_which_nobody_could_join_are_refused(people: People, method: str) -> None:
    before = settings(people)
    impossible = {"name": "Bakery", "identity": {"field": "email"}, "max_guest_bytes": 10}
    answer = change(people, impossible, method=method)
    assert (answer.status, answer.code) == (422, "invalid_request")
    assert [one["field"] for one in answer.json["errors"]] == ["body.max_guest_bytes"]
    assert settings(people) == before
