"""Tests settings that operators choose: opening, capacity, hidden counts, and whether customers may
rejoin.
"""

import pytest

from tests.service.api.refusing import nothing_changes, refused
from tests.support.people import People
from tests.support.snapshot import Snapshot
from tests.support.world import World
from waitlist_queue import keys


def test_a_closed_list_refuses_signups(people: People) -> None:
    """P5"""
    people.all_sign_up("ada")
    people.configure(open=False)
    with nothing_changes(people.world):
        refused(people.sign_up("bob"), 409, "waitlist_closed")
    assert people.world.request("GET", people.path).json["open"] is False


def test_on_a_closed_list_everybody_keeps_the_place_and_may_repeat_or_leave(
    people: People,
) -> None:
    """P2"""
    people.all_sign_up("ada", "bob")
    people.configure(open=False)
    with nothing_changes(people.world):
        again = people.sign_up("bob", key="signup-bob")
        assert (again.status, again.json["position"]) == (200, 2)
        assert again.json["entry_token"] == people.token_of("bob")
        assert people.poll("bob").json["position"] == 2
    assert people.leave("ada").status == 204
    assert people.poll("bob").json["position"] == 1


def test_an_instance_that_remembers_the_list_closed_asks_again_before_it_refuses(
    people: People,
) -> None:
    people.configure(open=False)
    assert people.sign_up("ada").code == "waitlist_closed"
    elsewhere = People(type(people.world).on(people.world.dynamodb, people.world.redis))
    elsewhere.configure(open=True)
    assert people.sign_up("ada").status == 201


def test_an_instance_that_remembers_the_list_open_refuses_all_the_same(people: People) -> None:
    """P5"""
    people.all_sign_up("ada")
    elsewhere = People(type(people.world).on(people.world.dynamodb, people.world.redis))
    elsewhere.configure(open=False)
    before = people.world.dynamodb.scan()
    refused(people.sign_up("bob"), 409, "waitlist_closed")
    assert people.world.dynamodb.scan() == before
    assert people.order() == ["ada"]


def test_a_full_list_refuses_signups_until_a_customer_leaves(people: People) -> None:
    people.configure(capacity=2)
    people.all_sign_up("ada", "bob")
    before = Snapshot.of(people.world.dynamodb, people.world.redis)
    refused(people.sign_up("cyd"), 409, "waitlist_full")
    assert people.sign_up("bob", key="signup-bob").json["position"] == 2
    after = Snapshot.of(people.world.dynamodb, people.world.redis)
    assert after.items == before.items
    # Redis remembers that it refused the signup, so a late copy of the message adds no entry.
    stamped = {keys.tombstones("bakery"), keys.meta("bakery")}
    changed = {
        key for key in after.redis.keys if after.redis.keys[key] != before.redis.keys.get(key)
    }
    assert changed <= stamped
    assert people.order() == ["ada", "bob"]
    people.leave("ada")
    assert people.sign_up("cyd").json["position"] == 2
    refused(people.sign_up("dan"), 409, "waitlist_full")


def test_a_capacity_below_the_number_waiting_keeps_all_entries(people: People) -> None:
    people.all_sign_up("ada", "bob", "cyd")
    people.configure(capacity=1)
    assert people.order() == ["ada", "bob", "cyd"]
    refused(people.sign_up("dan"), 409, "waitlist_full")
    people.configure(capacity=None)
    assert people.sign_up("dan").json["position"] == 4


def test_a_refused_signup_is_not_on_record(people: People) -> None:
    """P5"""
    people.configure(capacity=1)
    people.all_sign_up("ada")
    people.sign_up("bob")
    assert people.person("bob").code == "entry_not_found"
    people.world.maintain()
    assert people.stats().json["signed_up"] == 1


def test_hidden_counts_are_shown_to_operators_only(people: People) -> None:
    people.configure(hide_counts=True)
    people.all_sign_up("ada")
    joined = people.sign_up("bob", key="k").json
    repeated = people.sign_up("bob", key="k").json
    looked = people.poll("bob").json
    for shown in (joined, repeated, looked):
        assert (shown["position"], shown["total"]) == (2, None)
    assert people.world.request("GET", people.path).json["total"] is None
    assert people.person("bob").json["total"] == 2
    assert people.page().json["entries"][0]["total"] == 2
    assert people.bump("bob", to="front").json["total"] == 2
    assert people.stats().json["waiting"] == 2


def test_hidden_counts_stay_hidden_from_a_restored_entry(people: People) -> None:
    """Redis has lost Bob's entry, and Bob's poll restores it. If the waitlist hides its counts, the
    response must not contain the total (promise P7).
    """
    people.configure(hide_counts=True)
    people.all_sign_up("ada", "bob")
    people.lose_place("bob")
    looked = people.poll("bob").json
    assert (looked["position"], looked["total"]) == (2, None)


def test_a_customer_who_left_may_sign_up_again_at_the_end(people: People) -> None:
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    again = people.sign_up("ada", key="again", profile={"visit": 2})
    assert (again.status, again.json["position"], again.json["status"]) == (201, 2, "waiting")
    assert people.person("ada").json["profile"] == {"visit": 2}
    assert people.events("ada") == ["joined", "left", "joined"]


def admit(people: People) -> None:
    claim = {"count": 1, "complete": True}
    path = f"{people.admin_path}/claims"
    assert people.world.request("POST", path, body=claim, operator=True).status == 200


@pytest.mark.parametrize(
    ("rejoin", "left", "admitted"),
    [
        (None, None, "already_admitted"),
        ("after_leaving", None, "already_admitted"),
        ("always", None, None),
        ("never", "already_left", "already_admitted"),
    ],
)
def test_the_list_decides_which_customers_may_sign_up_again(
    people: People, rejoin: str | None, left: str | None, admitted: str | None
) -> None:
    """By default, a customer who was admitted cannot sign up again (promise P4)."""
    people.configure(**({} if rejoin is None else {"rejoin": rejoin}))
    people.all_sign_up("ada", "bob")
    admit(people)
    people.leave("bob")
    assert people.sign_up("ada").code == admitted
    assert people.sign_up("bob").code == left


def test_a_list_without_rejoining_refuses_a_customer_who_left(people: People) -> None:
    people.configure(rejoin="never")
    people.all_sign_up("ada")
    people.leave("ada")
    with nothing_changes(people.world):
        refused(people.sign_up("ada"), 409, "already_left")
    people.configure(rejoin="always")
    assert people.sign_up("ada").status == 201


@pytest.mark.parametrize("settings", [{"open": False}, {"capacity": 1}], ids=str)
def test_a_refused_second_signup_keeps_the_first(
    people: People, settings: dict[str, object]
) -> None:
    """If a second signup is refused, the earlier signup and its history stay as they are (promise
    P5).
    """
    people.all_sign_up("ada", "bob")
    people.leave("ada")
    people.configure(**settings)
    before = people.person("ada").json
    assert people.sign_up("ada", key="again").status == 409
    assert people.person("ada").json == before
    assert people.order() == ["bob"]


def test_hidden_counts_are_in_no_answer_to_a_customer(people: People) -> None:
    """When an operator hides the counts, even a process that has cached the old settings hides them
    at once (promise P8).
    """
    people.all_sign_up("ada", "bob")
    others = World.on(people.world.dynamodb, people.world.redis, clock=people.world.clock)
    assert People(others).configure(hide_counts=True).status == 200
    first = people.sign_up("cyd", key="k")
    assert (first.status, first.json["position"], first.json["total"]) == (201, 3, None)
    again = people.sign_up("cyd", key="k")
    assert (again.status, again.json["position"], again.json["total"]) == (200, 3, None)
    assert people.poll("cyd").json["total"] is None
    people.leave("cyd")
    assert people.sign_up("cyd", key="l").json["total"] is None
