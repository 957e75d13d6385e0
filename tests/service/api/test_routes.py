"""Tests the successful response of each route."""

import json
import re
from typing import Any
from urllib.parse import urljoin

import pytest

from tests.support.counters import NO_OFFERS
from tests.support.people import People

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
UNKNOWN_WAIT = {"estimated_wait": None, "estimate_unavailable": "unknown"}
DEFAULTS = {
    "waitlist_id": "bakery",
    "name": "Bakery",
    "open": True,
    "paused": False,
    "capacity": None,
    "rejoin": "after_leaving",
    "lease_seconds": 300,
    "max_attempts": 5,
    "max_claims": None,
    "hide_counts": False,
    "bot_check_down": "refuse",
    "max_guest_bytes": 2048,
    "retention_days": None,
    "rest": None,
    "identity": None,
    "opens_at": None,
    "closes_at": None,
    "timezone": "UTC",
    "confirm": None,
    "call_numbers": None,
    "messages": None,
    "admission": None,
    "page": None,
    "page_url": "https://api.example.com/w/bakery",
    "segments": [],
    "segments_state": "ready",
    "rebuild": None,
    "warnings": [],
    "notice": None,
    "version": 1,
}


def ready(ahead: int) -> dict[str, Any]:
    """Return the response fields of an entry that is ready for an offer and has `ahead` ready
    entries before it.
    """
    since = {"rest_until": None, "delayed_until": None, "confirm_by": None}
    since |= {"call": None, "call_number": None}
    return {"ready": True, "ready_ahead": ahead, "not_ready": None, **since}


def without_times(answer: dict[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        assert TIME.fullmatch(answer[name]), answer
    return {name: value for name, value in answer.items() if name not in names}


def test_health(people: People) -> None:
    answer = people.world.request("GET", "/v1/health")
    assert (answer.status, answer.json["status"]) == (200, "ok")
    assert answer.json == {"status": "ok", "queue": "ok", "record": "ok"}


def test_a_waitlist_as_anyone_sees_it(people: People) -> None:
    people.all_sign_up("ada", "bob")
    answer = people.world.request("GET", people.path)
    shown = {"waitlist_id": "bakery", "name": "Bakery", "open": True, "total": 2}
    times = {"opens_at": None, "closes_at": None, "admits_at": None, "admits_until": None}
    settings = dict.fromkeys(("notice", "page", "rest", "decline", "presence", "identity"))
    line = {"line": "open", **times, **settings}
    assert answer.status == 200
    assert without_times(answer.json, "as_of") == {**shown, **line, **UNKNOWN_WAIT}


def cuts(people: People) -> Any:
    return people.world.request("GET", f"{people.path}/board").json["cuts"]


def test_the_board_is_for_caches(people: People) -> None:
    people.all_sign_up("ada", "bob")
    answer = people.world.request("GET", f"{people.path}/board")
    assert answer.headers["cache-control"] == "public, max-age=5, stale-while-revalidate=30"
    assert set(answer.json) == {"as_of", "total", "line", "cuts"}
    assert (answer.json["total"], answer.json["line"]) == (2, "open")
    assert [position for _, position in answer.json["cuts"]] == [1, 2]


def test_hidden_counts_hide_the_board(people: People) -> None:
    people.configure(hide_counts=True)
    people.all_sign_up("ada")
    answer = people.world.request("GET", f"{people.path}/board")
    assert (answer.status, answer.json["code"]) == (404, "counts_hidden")


def test_signing_up(people: People) -> None:
    people.all_sign_up("ada")
    answer = people.sign_up("bob", key="signup-bob")
    assert answer.status == 201
    assert answer.headers["content-type"] == "application/json"
    signed_up = answer.json
    place = urljoin(f"{people.path}/entries", answer.headers["location"])
    assert people.world.request("GET", place, token=signed_up["entry_token"]).status == 200
    assert "location" not in people.sign_up("bob", key="signup-bob").headers
    assert [signed_up.pop("rank"), 2] in cuts(people)
    assert without_times(signed_up, "joined_at") == {
        "entry_id": people.id_of("bob"),
        "status": "waiting",
        "position": 2,
        "total": 2,
        "priority": 0,
        "offered_until": None,
        **ready(1),
        "poll_after_seconds": 1,
        **UNKNOWN_WAIT,
        "entry_token": people.token_of("bob"),
    }


def test_looking(people: People) -> None:
    people.all_sign_up("ada", "bob")
    answer = people.poll("ada")
    assert answer.status == 200
    looked = answer.json
    assert [looked.pop("rank"), 1] in cuts(people)
    assert without_times(looked, "joined_at") == {
        "entry_id": people.id_of("ada"),
        "status": "waiting",
        "position": 1,
        "total": 2,
        "priority": 0,
        "offered_until": None,
        **ready(0),
        "poll_after_seconds": 1,
        **UNKNOWN_WAIT,
        "segments": None,
        "entry_token": None,
    }


def test_leaving_also_when_it_is_repeated(people: People) -> None:
    """When a customer leaves, everyone behind them moves up by one position at once (promises P2
    and P6).
    """
    people.all_sign_up("ada", "bob")
    for _ in range(2):
        answer = people.leave("ada")
        assert (answer.status, answer.text) == (204, "")
    assert (people.poll("bob").json["position"], people.poll("bob").json["total"]) == (1, 1)
    gone = people.poll("ada").json
    assert (gone["status"], gone["position"], gone["total"]) == ("left", None, None)
    assert people.stats().json["left"] == 1


def test_making_and_replacing_a_waitlist(people: People) -> None:
    other = People(people.world, "florist")
    made = other.configure(capacity=5)
    assert made.status == 201
    times = ("created_at", "updated_at")
    own = {"waitlist_id": "florist", "page_url": "https://api.example.com/w/florist"}
    expected = {**DEFAULTS, **own, "capacity": 5}
    assert without_times(made.json, *times) == expected
    people.world.clock.advance(1)
    replaced = other.configure(open=False)
    assert replaced.status == 200
    assert without_times(replaced.json, *times) == {
        **expected,
        "open": False,
        "capacity": None,
        "version": 2,
    }
    assert replaced.json["created_at"] == made.json["created_at"] < replaced.json["updated_at"]
    shown = people.world.request("GET", other.admin_path, operator=True)
    assert (shown.status, shown.json) == (200, replaced.json)


def test_listing_waitlists(people: People) -> None:
    answer = people.world.request("GET", "/v1/admin/waitlists", operator=True)
    assert answer.status == 200
    (listed,) = answer.json["waitlists"]
    assert without_times(listed, "created_at", "updated_at") == DEFAULTS
    assert answer.json["cursor"] is None


def test_counting(people: People) -> None:
    no_entries = {
        "waiting": 0,
        "not_ready": 0,
        "unverified": 0,
        "asked": 0,
        "away": 0,
        "offered": 0,
        "inside": 0,
        "parked": 0,
        "quota": 0,
        "quota_open": 0,
        "quota_entered": 0,
        "signed_up": 0,
        "left": 0,
        "admitted": 0,
        **NO_OFFERS,
        "line": "open",
    }
    nothing = (
        *("oldest_joined_at", "oldest_waiting_seconds", "oldest_parked_seconds", "quota_since"),
        *("sources", "messages", "unreachable", "messages_off"),
    )
    flows = ("joined", "admitted", "left", *NO_OFFERS)
    since = ("admitted_today", *(f"{name}_last_hour" for name in flows))
    empty = {**no_entries, **dict.fromkeys(nothing), **dict.fromkeys(since, 0), **UNKNOWN_WAIT}
    assert (people.stats().status, people.stats().json) == (200, empty)
    people.all_sign_up("ada", "bob", "cyd")
    people.leave("ada")
    counted = {name: people.stats().json[name] for name in no_entries}
    assert counted == {**no_entries, "waiting": 2, "signed_up": 3, "left": 1}
    assert people.stats().json["oldest_joined_at"] == people.poll("bob").json["joined_at"]


def test_listing_people(people: People) -> None:
    people.sign_up("ada", profile={"name": "Ada"}, attributes={"language": "English"})
    answer = people.page()
    assert (answer.status, answer.json["cursor"]) == (200, None)
    (ada,) = answer.json["entries"]
    assert without_times(ada, "joined_at") == {
        "entry_id": people.id_of("ada"),
        "status": "waiting",
        "position": 1,
        "total": 1,
        "priority": 0,
        "offered_until": None,
        **ready(0),
        "rank": people.poll("ada").json["rank"],
        "language": None,
        "held_back_reason": None,
        "messages_off": False,
        "unreachable": False,
        "delayed_until": None,
        "asked_at": None,
        "confirmed_at": None,
        "customer_id": "ada",
        "profile": {"name": "Ada"},
        "attributes": {"language": "English"},
        "attempts": 0,
        "claimed_until": None,
        "parked_at": None,
        "park_reason": None,
        "admitted_at": None,
        "inside_until": None,
        "exited_at": None,
        "left_at": None,
        "room_until": None,
        "banned_at": None,
        "ban_reason": None,
    }
    person = people.person("ada")
    assert person.status == 200
    assert {name: person.json[name] for name in ada} == ada
    more = {"created_at", "by_guest", "updated_at", "expires_at", "history", "cursor"}
    assert set(person.json) - set(ada) == more


@pytest.mark.parametrize("where", [{"to": "front"}, {"places": 2}, {"priority": 7}], ids=str)
def test_bumping(people: People, where: dict[str, Any]) -> None:
    people.all_sign_up("ada", "bob", "cyd")
    joined_at = people.poll("cyd").json["joined_at"]
    answer = people.bump("cyd", key="b", **where)
    assert answer.status == 200
    assert answer.json == {
        "entry_id": people.id_of("cyd"),
        "status": "waiting",
        "position": 1,
        "total": 3,
        "priority": where.get("priority", 0),
        "joined_at": joined_at,
        "offered_until": None,
        "moved": 2,
    }
    assert people.order() == ["cyd", "ada", "bob"]
    standing = {name: value for name, value in answer.json.items() if name != "moved"}
    looked = people.poll("cyd").json
    assert [looked.pop("rank"), 1] in cuts(people)
    assert looked == {
        **standing,
        **ready(0),
        "poll_after_seconds": 1,
        **UNKNOWN_WAIT,
        "segments": None,
        "entry_token": None,
    }


def test_bumping_to_the_back_is_a_new_arrival(people: People) -> None:
    people.all_sign_up("ada", "bob")
    answer = people.bump("ada", to="back").json
    assert (answer["position"], answer["moved"]) == (2, -1)
    assert people.order() == ["bob", "ada"]


def test_erasing_also_when_it_is_repeated(people: People) -> None:
    """P8"""
    people.sign_up("ada", profile={"name": "Ada Lovelace"})
    people.all_sign_up("bob")
    for _ in range(2):
        answer = people.erase("ada")
        assert (answer.status, answer.text) == (204, "")
    assert people.person("ada").code == "entry_not_found"
    assert people.poll("ada").code == "entry_not_found"
    assert people.order() == ["bob"]
    assert "Lovelace" not in recorded(people)
    people.world.maintain()
    assert people.id_of("ada") not in recorded(people)
    assert people.id_of("bob") in recorded(people)


def recorded(people: People) -> str:
    # The journal is left out, because an erasure does not delete it. It covers the last few days,
    # contains only ids, and expires by itself.
    items = people.world.dynamodb.scan()["Items"]
    return json.dumps([item for item in items if not item["pk"]["S"].startswith("JOURNAL#")])


def test_an_erased_person_is_a_new_one(people: People) -> None:
    people.all_sign_up("ada", "bob")
    people.erase("ada")
    assert people.sign_up("ada").json["position"] == 2
    assert people.events("ada") == ["joined"]


def test_deleting_a_waitlist(people: People) -> None:
    people.all_sign_up("ada")
    answer = people.delete_waitlist()
    assert (answer.status, answer.text) == (204, "")
    assert people.world.request("GET", people.path).code == "waitlist_not_found"
