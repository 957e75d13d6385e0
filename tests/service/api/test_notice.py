"""Tests a waitlist's notice, which operators write and all customers see until it disappears at a
set time.
"""

from typing import Any

import pytest

from tests.service.api.conftest import new_list
from tests.support.gateway import Answer
from tests.support.people import People
from waitlist_api.clock import iso

LATE = {"en": "The doctor is 30 minutes late.", "de": "30 Minuten Verspätung."}


def put(people: People, **body: Any) -> Answer:
    return people.world.request("PUT", f"{people.admin_path}/notice", body=body, operator=True)


def after(people: People, seconds: float) -> str:
    return iso(people.world.clock.now_millis() + int(seconds * 1000))


def seen(people: People) -> Any:
    """Return the waitlist's notice. Customers and operators must see the same notice."""
    public = people.world.request("GET", people.path).json["notice"]
    config = people.world.request("GET", people.admin_path, operator=True).json["notice"]
    assert public == config
    return public


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "Two\nlines",
        "x" * 500,
        LATE,
        {"ar": "سيتأخر الطبيب", "fr": "<b>Le médecin</b>"},
    ],
    ids=ascii,
)
def test_customers_see_a_notice_exactly_as_it_was_sent(people: People, text: Any) -> None:
    assert seen(people) is None
    answer = put(people, text=text)
    assert (answer.status, answer.json) == (200, {"text": text, "until": None})
    assert seen(people) == answer.json


def test_a_notice_replaces_the_earlier_notice(people: People) -> None:
    put(people, text="The oven is being repaired.", until=after(people, 60))
    put(people, text=LATE)
    assert seen(people) == {"text": LATE, "until": None}


@pytest.mark.parametrize("text", [None, "", " \n "], ids=ascii)
def test_an_empty_text_ends_the_notice(people: People, text: str | None) -> None:
    put(people, text=LATE)
    for _ in range(2):
        answer = put(people, text=text)
        assert (answer.status, answer.json) == (200, {"text": None, "until": None})
        assert seen(people) is None


def test_a_notice_ends_by_itself_also_in_caches(people: People) -> None:
    until = after(people, 8)
    assert put(people, text=LATE, until=until).json == {"text": LATE, "until": until}

    def cached_seconds() -> str:
        answer = people.world.request("GET", people.path)
        return str(answer.headers["cache-control"]).removeprefix("public, max-age=")

    assert cached_seconds() == "5"
    people.world.clock.advance(5.5)
    assert (seen(people)["until"], cached_seconds()) == (until, "2")
    people.world.clock.advance(2)
    assert (seen(people)["until"], cached_seconds()) == (until, "0")
    people.world.clock.advance(0.5)
    assert (seen(people), cached_seconds()) == (None, "5")


def refused(answer: Answer) -> list[tuple[str, str]]:
    assert answer.code == "invalid_request", answer.json
    return [(error["field"], error["message"]) for error in answer.json["errors"]]


@pytest.mark.parametrize("ahead", [0, -1, -86_400])
def test_a_notice_that_ends_in_the_past_is_refused(people: People, ahead: int) -> None:
    put(people, text=LATE)
    said = "must be in the future. To end the notice now, send null as the text"
    assert refused(put(people, text="Late", until=after(people, ahead))) == [("body.until", said)]
    assert seen(people)["text"] == LATE


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({}, ["body.text"]),
        ({"text": 5}, ["body.text"]),
        ({"text": "x" * 501}, ["body.text"]),
        ({"text": "a\u202eb"}, ["body.text"]),
        ({"text": {}}, ["body.text"]),
        ({"text": {"en": " "}}, ["body.text.en"]),
        ({"text": {"en": "Late", "de": "x" * 501}}, ["body.text.de"]),
        ({"text": {"xx": "Late"}}, ["body.text.xx"]),
        ({"text": "Late", "until": "tomorrow"}, ["body.until"]),
        ({"text": "Late", "until": "2026-12-01T18:00:00+01:00"}, ["body.until"]),
        ({"text": "Late", "bold": True}, ["body.bold"]),
    ],
    ids=ascii,
)
def test_a_wrong_notice_is_refused_at_its_field(
    people: People, body: dict[str, Any], fields: list[str]
) -> None:
    assert [field for field, _ in refused(put(people, **body))] == fields
    assert seen(people) is None


def test_a_notice_changes_no_settings_and_settings_change_no_notice(people: People) -> None:
    people.all_sign_up("ada")
    before = people.world.request("GET", people.admin_path, operator=True)
    put(people, text=LATE)
    noticed = people.world.request("GET", people.admin_path, operator=True)
    assert noticed.headers["etag"] == before.headers["etag"]
    assert noticed.json == {**before.json, "notice": {"text": LATE, "until": None}}
    people.configure(capacity=7)
    assert (seen(people)["text"], people.order()) == (LATE, ["ada"])


def test_a_list_that_does_not_exist_has_no_notice(people: People) -> None:
    assert put(People(people.world, "florist"), text=LATE).code == "waitlist_not_found"
    people.delete_waitlist()
    assert put(people, text=LATE).code == "waitlist_not_found"
    assert put(people, text=None).code == "waitlist_not_found"


def test_a_new_list_with_the_same_id_has_no_notice() -> None:
    people = new_list()
    put(people, text=LATE)
    people.delete_waitlist()
    people.world.maintain()
    assert people.configure().status == 201
    assert seen(people) is None
