"""Tests how many changes a customer can make: a few at once, and then one per interval.

Without this limit, a customer could fill up an entry's history. Leaving and rejoining does not
raise the limit.
"""

from typing import Any

import pytest

from tests.service.api.test_secrecy import Watched
from tests.service.api.test_verification import ADA as MAIL
from tests.support.admissions import Admissions
from tests.support.gateway import Answer
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import RedisClock, World

AT_ONCE, EVERY = 30, 300
LATER = "2030-01-01T00:00:00Z"


class Customers(Admissions):
    def patch(self, name: str, **body: Any) -> Answer:
        path = f"{self.path}/entries/{self.id_of(name)}"
        return self.world.request("PATCH", path, body=body, token=self.token_of(name))

    def post(self, name: str, verb: str, **body: Any) -> Answer:
        return self._by_customer(name, verb, body)

    def history(self, name: str) -> list[str]:
        path = f"{self.admin_path}/entries/{self.id_of(name)}"
        answer = self.world.request("GET", path, query="include=history", operator=True)
        return [one["event"] for one in answer.json["history"]]


@pytest.fixture
def customers() -> Customers:
    customers = Customers(
        World.on(new_table(), empty_redis(), redis_clock=RedisClock.standing()),
    )
    customers.configure(rejoin="always", rest={"times": 1000}, admission={"offer_seconds": 600})
    return customers


def assert_too_many(refused: Answer, seconds: int = EVERY) -> None:
    assert (refused.status, refused.code) == (429, "too_many_changes"), refused.text
    assert 0 < int(refused.headers["retry-after"]) <= seconds
    assert "Retry-After" in refused.json["detail"]


def test_edits_come_some_at_once_and_then_at_intervals(customers: Customers) -> None:
    customers.sign_up("ada")
    for number in range(AT_ONCE):
        assert customers.patch("ada", profile={"note": str(number)}).status == 200
    refused = customers.patch("ada", profile={"note": "one more"})
    assert_too_many(refused)
    assert customers.history("ada").count("edited") == AT_ONCE
    # An edit that changes nothing does not count as a change.
    for _ in range(AT_ONCE):
        last = str(AT_ONCE - 1)
        assert customers.patch("ada", profile={"note": last}).status == 200
    customers.world.advance(int(refused.headers["retry-after"]))
    assert customers.patch("ada", profile={"note": "one more"}).status == 200
    assert_too_many(customers.patch("ada", profile={"note": "another"}))
    # A customer who has made too many changes does not affect other customers or operators.
    customers.sign_up("bob")
    assert customers.patch("bob", profile={"note": "mine"}).status == 200
    path = f"{customers.admin_path}/entries/{customers.id_of('ada')}"
    body = {"profile": {"note": "theirs"}}
    assert customers.world.request("PATCH", path, body=body, operator=True).status == 200


def test_rests_and_switches_of_messages_count_as_edits_do(customers: Customers) -> None:
    customers.configure(rest={"times": 1000, "max_days": 3650}, messages={"kinds": ["joined"]})
    customers.sign_up("ada")
    for number in range(AT_ONCE // 2):
        until = f"2030-01-01T00:00:{number:02d}Z"
        assert customers.post("ada", "rest", until=until).status == 200
        assert customers.post("ada", "resume", rest_until=until).status == 200
        assert customers.patch("ada", messages="off").status == 200
        assert customers.patch("ada", messages="on").status == 200
    assert_too_many(customers.post("ada", "rest", until=LATER))
    assert customers.patch("ada", messages="off").status == 200, "nobody has to get messages"
    assert_too_many(customers.patch("ada", messages="on"))


def test_joining_and_leaving_again_and_again_is_limited(customers: Customers) -> None:
    """The limit counts a person's changes across all their signups."""
    joined = 0
    while (answer := customers.sign_up("ada")).status == 201:
        joined += 1
        assert customers.leave("ada").status == 204
        customers.world.advance(1)
    assert_too_many(answer)
    assert joined - 1 == AT_ONCE
    customers.world.advance(EVERY)
    assert customers.sign_up("ada").status == 201


def test_declines_are_limited_but_leaving_is_not(
    customers: Customers,
) -> None:
    """Someone who waits alone gets a new offer after each decline, so the number of declines is
    limited. Leaving is always possible.
    """
    customers.sign_up("ada")
    for _ in range(AT_ONCE):
        customers.admit(1)
        assert customers.decline("ada").status == 200
        customers.world.advance(1)
    customers.admit(1)
    assert_too_many(customers.decline("ada"))
    assert customers.status("ada") == "offered"
    assert customers.decline("ada", to="leave").status == 200


def test_the_repeat_of_a_decline_is_answered_as_the_first(customers: Customers) -> None:
    customers.sign_up("ada")
    for number in range(AT_ONCE):
        customers.admit(1)
        key = f"decline-of-ada-{number:04d}"
        assert customers.decline("ada", key=key).status == 200
    assert customers.decline("ada", key=key).status == 200
    customers.admit(1)
    assert customers.decline("ada", key=key).status == 200
    assert customers.status("ada") == "offered"


def test_what_keeps_or_uses_a_place_is_never_refused(customers: Customers) -> None:
    """A customer who has made too many changes can still confirm, enter, exit and leave."""
    customers.configure(
        confirm={"every_days": 30, "answer_days": 7}, admission={"pass_seconds": 3600}
    )
    customers.sign_up("ada")
    for number in range(AT_ONCE):
        assert customers.patch("ada", profile={"note": str(number)}).status == 200
    assert_too_many(customers.patch("ada", profile={"note": "x"}))
    asked = customers.world.request(
        "POST", f"{customers.admin_path}/confirm", body={}, operator=True
    )
    assert asked.json["asked"] == 1
    assert customers.post("ada", "confirm").status == 200
    customers.admit(1)
    assert customers.enter("ada").status == 200
    assert customers.exit("ada").status == 200
    customers.sign_up("bob")
    assert customers.leave("bob").status == 204


def test_new_addresses_too_often_say_when(customers: Customers) -> None:
    customers.configure(identity={"field": "email"})
    path = f"{customers.path}/entries"
    body = {"profile": {"email": MAIL}}
    joined = customers.world.request("POST", path, body=body).json

    def change(address: str) -> Answer:
        body = {"profile": {"email": address}}
        entry = f"{path}/{joined['entry_id']}"
        return customers.world.request("PATCH", entry, body=body, token=joined["entry_token"])

    for number in range(3):
        assert change(f"ada{number}@example.org").status == 202
    refused = change("ada4@example.org")
    assert_too_many(refused, seconds=60)
    customers.world.advance(int(refused.headers["retry-after"]))
    assert change("ada4@example.org").status == 202


def test_a_list_that_verifies_does_not_tell_who_joins_too_often() -> None:
    guests = Watched.on(rejoin="always")
    for _ in range(AT_ONCE + 1):
        assert guests.join(MAIL).status == 202
        assert guests.verify(guests.code(MAIL)).status == 200
        guests.remove(MAIL)
        guests.world.advance(1)
    known, calls, scripts = guests.ask(guests.join, MAIL)
    new, new_calls, new_scripts = guests.ask(guests.join, "nobody@example.com")
    assert guests.of(MAIL)["status"] == "left"
    assert known == new
    assert (calls, scripts) == (new_calls, new_scripts)


def test_a_stranger_who_signs_an_address_up_again_and_again_shuts_nobody_out() -> None:
    """A stranger signs up with somebody's address again and again. The owner of the address can
    still make as many changes as any other customer.
    """
    guests = Watched.on(rejoin="always")
    for _ in range(AT_ONCE + 5):
        guests.join(MAIL)
        guests.remove(MAIL)
        guests.world.advance(1)
    guests.join(MAIL)
    assert guests.of(MAIL)["status"] == "waiting"
    assert guests.verify(guests.code(MAIL)).status == 200
