"""Tests that every response with a position says when to poll again and may not be cached."""

import pytest

from tests.support.admissions import Admissions
from tests.support.gateway import Answer
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import World


@pytest.fixture
def people() -> Admissions:
    people = Admissions(World.on(new_table(), empty_redis()))
    assert people.configure(segments=[["language"]]).status == 201
    return people


def seconds_until_next_poll(answer: Answer) -> int | None:
    assert (answer.status, answer.headers["cache-control"]) == (200, "no-store"), answer.text
    seconds: int | None = answer.json["poll_after_seconds"]
    return seconds


def test_the_hint_grows_with_the_distance_from_the_head(people: Admissions) -> None:
    people.all_sign_up(*(f"customer-{number}" for number in range(1, 42)))
    assert seconds_until_next_poll(people.poll("customer-1")) == 1
    assert seconds_until_next_poll(people.poll("customer-20")) == 1
    assert seconds_until_next_poll(people.poll("customer-21")) == 2
    assert seconds_until_next_poll(people.poll("customer-41")) == 3
    people.leave("customer-1")
    assert seconds_until_next_poll(people.poll("customer-41")) == 2


def test_a_signup_returns_when_to_look_first(people: Admissions) -> None:
    people.all_sign_up(*(f"customer-{number}" for number in range(20)))
    answer = people.sign_up("ada", key="k")
    assert (answer.status, answer.json["poll_after_seconds"]) == (201, 2)
    assert people.sign_up("ada", key="k").json["poll_after_seconds"] == 2


def test_a_place_within_a_segment_may_be_nearer(people: Admissions) -> None:
    people.all_sign_up(*(f"customer-{number}" for number in range(30)))
    people.sign_up("ada", attributes={"language": "Spanish"})
    assert seconds_until_next_poll(people.poll("ada")) == 2
    assert seconds_until_next_poll(people.poll("ada", "segment=language")) == 1


def test_a_claimed_or_parked_entry_is_told_when_to_poll(people: Admissions) -> None:
    people.all_sign_up("ada", "bob")
    assert people.claimed() == ["ada"]
    assert seconds_until_next_poll(people.poll("ada")) == 3
    people.park("ada")
    assert seconds_until_next_poll(people.poll("ada")) == 60


def test_an_entry_that_is_held_back_looks_by_its_position(people: Admissions) -> None:
    names = [f"customer-{number}" for number in range(1, 122)]
    people.all_sign_up(*names)
    for name in names:
        people.hold_back(name)
    assert seconds_until_next_poll(people.poll(names[0])) == 5
    # No ready customer is ahead of the last customer, who still polls only rarely because they are
    # not ready either.
    assert people.poll(names[-1]).json["ready_ahead"] == 0
    assert seconds_until_next_poll(people.poll(names[-1])) == 7
    people.hold_back(names[-1], ready=True)
    assert seconds_until_next_poll(people.poll(names[-1])) == 1


def test_an_entry_that_has_ended_is_not_to_be_polled(people: Admissions) -> None:
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    assert seconds_until_next_poll(people.poll("ada")) is None
    people.claimed()
    people.complete("bob")
    assert seconds_until_next_poll(people.poll("bob")) is None


def test_a_refusal_may_not_be_kept(people: Admissions) -> None:
    """Caches must not store a refusal, because the next request may succeed, for example after a
    rebuild or a signup (promise P7).
    """
    answer = people.poll("nobody")
    assert (answer.status, answer.headers["cache-control"]) == (404, "no-store")
