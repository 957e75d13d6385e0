"""Tests for the public screen, which shows the call numbers being called now and nothing else about
the customers.
"""

import json
from typing import Any

import pytest

from tests.service.acceptance.halfway import leaving
from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support.admissions import Admissions
from tests.support.gateway import Answer

DAILY = {"prefix": "A", "restart": "daily"}


def read(people: Admissions, method: str = "GET") -> Answer:
    return people.world.request(method, f"{people.path}/screen")


def numbers_on_the_screen(people: Admissions) -> list[tuple[str, str]]:
    answer = read(people)
    assert answer.status == 200, answer.text
    return [(each["number"], each["to"]) for each in answer.json["called"]]


def following(people: Admissions) -> Any:
    return read(people).json["next"]


def test_the_screen_shows_who_is_called_and_who_is_next(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", "cyd", "dan", call_numbers=DAILY)
    people.claim(call={"to": "Room 2"})
    people.world.advance(1)
    people.claim(call={"to": "Room 3"})
    answer = read(people)
    assert answer.status == 200
    assert answer.headers["cache-control"] == "public, max-age=3"
    assert set(answer.json) == {"as_of", "numbers", "called", "next"}
    assert answer.json["numbers"] is True
    assert numbers_on_the_screen(people) == [("A002", "Room 3"), ("A001", "Room 2")]
    assert following(people) == ["A003", "A004"]
    first = answer.json["called"][0]
    assert set(first) == {"number", "to", "called_at"}
    assert first["called_at"] == people.poll("bob").json["call"]["called_at"]
    assert read(people, "HEAD").status == 200


def test_a_number_that_is_called_again_comes_first(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", call_numbers=DAILY)
    people.claim(2, call={"to": "Room 2"})
    people.call("ann", "Room 5")
    assert numbers_on_the_screen(people) == [("A001", "Room 5"), ("A002", "Room 2")]


@pytest.mark.parametrize("end", ["complete", "release", "park", "leave", "expire"])
def test_a_number_disappears_when_its_claim_ends(waitlist: Waitlist, end: str) -> None:
    people = waitlist("ann", "bob", call_numbers=DAILY)
    people.claim(call={"to": "Room 2"})
    assert numbers_on_the_screen(people) == [("A001", "Room 2")]
    if end == "expire":
        people.world.advance(LEASE_SECONDS + 1)
    else:
        getattr(people, end)("ann")
    assert numbers_on_the_screen(people) == []


def test_a_claim_or_an_offer_without_a_call_is_not_shown(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", "cyd", call_numbers=DAILY, admission={})
    people.claim()
    people.admit(1)
    assert numbers_on_the_screen(people) == []
    assert following(people) == ["A003"]


def test_a_customer_whose_claim_or_offer_has_expired_is_next_again(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", "cyd", call_numbers=DAILY, admission={"no_show": "keep_place"})
    people.claim(call={"to": "Room 2"})
    people.admit(1, offer_seconds=LEASE_SECONDS)
    assert following(people) == ["A003"]
    people.world.advance(LEASE_SECONDS + 1)
    assert following(people) == ["A001", "A002", "A003"]
    assert numbers_on_the_screen(people) == []


def test_a_customer_whose_departure_was_interrupted_is_not_next(waitlist: Waitlist) -> None:
    """The record says that Ann has left, but Redis does not know it yet."""
    people = waitlist("ann", "bob", call_numbers=DAILY)
    leaving(people, "ann")
    assert following(people) == ["A002"]


def test_an_earlier_call_does_not_appear_again_with_the_next_claim(waitlist: Waitlist) -> None:
    people = waitlist("ann", call_numbers=DAILY)
    people.claim(call={"to": "Room 2"})
    people.release("ann")
    people.claim()
    assert numbers_on_the_screen(people) == []


def test_a_customer_who_joins_again_is_shown_with_the_new_number(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", call_numbers=DAILY)
    people.claim(call={"to": "Room 2"})
    people.leave("ann")
    people.sign_up("ann")
    assert numbers_on_the_screen(people) == []
    assert following(people) == ["A002", "A003"]
    people.claim(2, call={"to": "Room 4"})
    assert sorted(numbers_on_the_screen(people)) == [("A002", "Room 4"), ("A003", "Room 4")]


def test_only_customers_with_a_number_who_are_ready_are_shown(waitlist: Waitlist) -> None:
    people = waitlist("early")
    people.configure(call_numbers=DAILY)
    people.all_sign_up("ann", "bob")
    people.hold_back("ann")
    assert following(people) == ["A002"]
    people.claim_one("early", call={"to": "Room 2"})
    assert numbers_on_the_screen(people) == []


def test_the_screen_shows_at_most_six_calls_and_eight_next_numbers(waitlist: Waitlist) -> None:
    people = waitlist(*(f"c{number}" for number in range(20)), call_numbers=DAILY)
    for _ in range(8):
        people.claim(call={"to": "Room 2"})
    answer = read(people).json
    assert [each["number"] for each in answer["called"]] == [f"A00{each}" for each in "876543"]
    assert answer["next"] == [f"A{number:03d}" for number in range(9, 17)]


def test_the_screen_has_no_personal_data(waitlist: Waitlist) -> None:
    """P5"""
    people = waitlist(call_numbers=DAILY)
    people.sign_up("ann-at-home", profile={"name": "Ann Other", "email": "ann@example.com"})
    people.sign_up("bob-at-work", profile={"name": "Bob Other"})
    people.claim(call={"to": "Room 2"})
    text = json.dumps(read(people).json)
    for secret in ("ann", "Ann", "Other", "example.com", "bob"):
        assert secret not in text
    for name in ("ann-at-home", "bob-at-work"):
        assert people.id_of(name) not in text
    assert people.tokens["ann-at-home"] not in text


def test_without_call_numbers_nothing_is_shown(waitlist: Waitlist) -> None:
    """P5"""
    people = waitlist("ann", "bob", call_numbers=DAILY)
    people.claim(call={"to": "Room 2"})
    people.configure(call_numbers=None)
    answer = read(people)
    assert answer.status == 200
    assert (answer.json["numbers"], answer.json["called"], answer.json["next"]) == (False, [], [])


def test_hidden_counts_hide_the_next_numbers(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", call_numbers=DAILY, hide_counts=True)
    people.claim(call={"to": "Room 2"})
    assert numbers_on_the_screen(people) == [("A001", "Room 2")]
    assert following(people) == []


def test_a_list_that_does_not_exist_has_no_screen(waitlist: Waitlist) -> None:
    people = waitlist()
    answer = people.world.request("GET", "/v1/waitlists/florist/screen")
    assert (answer.status, answer.code) == (404, "waitlist_not_found")
