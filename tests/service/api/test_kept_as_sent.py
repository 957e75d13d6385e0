"""Tests that the API returns names, profiles and attributes exactly as they were sent."""

from typing import Any

import pytest

from tests.support.people import People

NAMES = [
    "Ada ☕ 👩‍🚀",
    "İstanbul ẞ ﷽",
    "עברית والعربية",
    "'; DROP TABLE --",
    "<script>alert(1)</script>",
    "{bakery}",
    " a ",
    "x" * 200,
    "👩‍🚀"[:1] * 200,
]
PROFILES: list[dict[str, Any]] = [
    {"name": "Ada ☕\x00\n", "": "empty name", "$ref": "#", "pk": "ENTRY#", "status": "admitted"},
    {"integer": 10**300, "negative": -(10**30), "fraction": 0.1, "tiny": 5e-324, "large": 1e308},
    {"zero": 0, "minus": -0.0, "whole": 1.0, "yes": True, "no": False, "nothing": None},
    {"empty": {}, "list": [], "nested": [[{"a": [1, "2", None]}]]},
    {"a": "x" * 8183},
    {},
]
CUSTOMER_IDS = ["a", "!", "~", "a" * 256, "ENTRY#x#y", "{}", "a:b", "../..", "%0A", '"', "0"]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_a_waitlists_name_may_hold_any_visible_text(people: People, name: str) -> None:
    assert people.configure(name=name).json["name"] == name
    assert people.world.request("GET", people.path).json["name"] == name
    assert people.world.request("GET", people.admin_path, operator=True).json["name"] == name


@pytest.mark.parametrize("profile", PROFILES, ids=lambda one: ascii(one)[:30])
def test_a_profile_comes_back_as_it_was_sent(people: People, profile: dict[str, Any]) -> None:
    people.configure(max_guest_bytes=16 * 1024)
    assert people.sign_up("ada", profile=profile).status == 201
    (listed,) = people.page().json["entries"]
    for found in (people.person("ada").json["profile"], listed["profile"]):
        assert found == profile
        assert {name: repr(value) for name, value in found.items()} == {
            name: repr(value) for name, value in profile.items()
        }


def test_attributes_come_back_as_they_were_sent(people: People) -> None:
    attributes = {
        "language": ["English", "Español ☕"],
        "status": "gold",
        "a" * 32: "x" * 64,
        "many": [str(number) for number in range(16)],
    }
    assert people.sign_up("ada", attributes=attributes).status == 201
    assert people.person("ada").json["attributes"] == attributes


@pytest.mark.parametrize("customer_id", CUSTOMER_IDS, ids=lambda one: one[:10])
def test_a_customer_id_may_be_any_visible_ascii(people: People, customer_id: str) -> None:
    assert people.sign_up(customer_id).status == 201
    assert people.person(customer_id).json["customer_id"] == customer_id
    assert people.poll(customer_id).json["position"] == 1


def test_a_reason_may_hold_any_line_of_text(people: People) -> None:
    people.all_sign_up("ada")
    reason = "waited ☕ <i>{{7*7}}\\x1b " + "x" * 470
    people.bump("ada", to="front", reason=reason)
    assert people.person("ada").json["history"][-1]["reason"] == reason


@pytest.mark.parametrize("waitlist_id", ["0", "a" * 63, "a-", "1--2", "admin", "health"])
def test_a_waitlist_may_have_any_id_of_the_form(people: People, waitlist_id: str) -> None:
    other = People(people.world, waitlist_id)
    assert other.configure().status == 201
    assert other.sign_up("ada").json["position"] == 1
    assert people.world.request("GET", other.path).json["total"] == 1
