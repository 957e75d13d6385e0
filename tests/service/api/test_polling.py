"""Every answer about a place says when to ask again, for clients and for their caches."""

import pytest

from tests.support.admissions import Admissions
from tests.support.gateway import Answer
from tests.support.stores import fake_redis
from tests.support.tables import new_table
from tests.support.world import World


@pytest.fixture
def people() -> Admissions:
    people = Admissions(World.on(new_table(), fake_redis()))
    assert people.configure(segments=[["language"]]).status == 201
    return people


def hint(answer: Answer) -> tuple[int | None, str]:
    assert answer.status == 200, answer.text
    return answer.json["poll_after_seconds"], answer.headers["cache-control"]


def test_the_hint_grows_with_the_distance_from_the_head(people: Admissions) -> None:
    people.all_sign_up(*(f"customer-{number}" for number in range(1, 42)))
    assert hint(people.look("customer-1")) == (1, "private, max-age=1")
    assert hint(people.look("customer-20")) == (1, "private, max-age=1")
    assert hint(people.look("customer-21")) == (2, "private, max-age=2")
    assert hint(people.look("customer-41")) == (3, "private, max-age=3")
    people.leave("customer-1")
    assert hint(people.look("customer-41")) == (2, "private, max-age=2")


def test_a_signup_returns_when_to_look_first(people: Admissions) -> None:
    people.all_sign_up(*(f"customer-{number}" for number in range(20)))
    answer = people.sign_up("ada", key="k")
    assert (answer.status, answer.json["poll_after_seconds"]) == (201, 2)
    assert people.sign_up("ada", key="k").json["poll_after_seconds"] == 2


def test_a_place_within_a_segment_may_be_nearer(people: Admissions) -> None:
    people.all_sign_up(*(f"customer-{number}" for number in range(30)))
    people.sign_up("ada", attributes={"language": "Spanish"})
    assert hint(people.look("ada")) == (2, "private, max-age=2")
    assert hint(people.look("ada", "segment=language")) == (1, "private, max-age=1")


def test_an_entry_out_of_line_gets_it_too(people: Admissions) -> None:
    people.all_sign_up("ada", "bob")
    assert people.claimed() == ["ada"]
    assert hint(people.look("ada")) == (5, "private, max-age=5")
    people.park("ada")
    assert hint(people.look("ada")) == (60, "private, max-age=60")


def test_where_nothing_will_change_nobody_need_ask_and_nothing_is_kept(
    people: Admissions,
) -> None:
    """After a new signup, no cache may return the answer that the entry has left."""
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    assert hint(people.look("ada")) == (None, "private, max-age=0")
    people.claimed()
    people.complete("bob")
    assert hint(people.look("bob")) == (None, "private, max-age=0")


def test_a_refusal_may_not_be_kept(people: Admissions) -> None:
    """P7: rebuilding is over in seconds, and a person may sign up in the next."""
    answer = people.look("nobody")
    assert (answer.status, answer.headers["cache-control"]) == (404, "no-store")
