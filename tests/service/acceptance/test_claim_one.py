"""Tests for claims on a specific customer, wherever they are in the queue."""

from typing import Any

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.snapshot import RedisState
from tests.support.world import World

ROOM = {"to": "Room 2"}


def test_a_certain_customer_is_called(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", "cyd")
    claim = people.claim_one("bob", call=ROOM, reason="came to the desk").json
    assert (claim["customer_id"], claim["call"]["to"]) == ("bob", "Room 2")
    assert people.poll("bob").json["call"]["to"] == "Room 2"
    assert people.order() == ["ann", "cyd"]
    assert people.events("bob") == ["joined", "offered", "called"]
    history = people.person("bob").json["history"]
    assert history[1]["reason"] == "came to the desk"
    people.release("bob")
    assert people.order() == ["ann", "bob", "cyd"]


def test_two_desks_do_not_get_the_same_customer(waitlist: Waitlist) -> None:
    """If two service desks claim the same customer, the second desk gets an error (promise P4)."""
    people = waitlist("ann", "bob")
    first = people.claim_one("bob", call=ROOM).json
    second = people.claim_one("bob", call={"to": "Room 3"})
    assert (second.status, second.code) == (409, "not_waiting")
    assert "Another operator may have claimed it" in second.json["detail"]
    assert people.poll("bob").json["call"] == first["call"]
    people.complete("bob")
    assert people.claim_one("bob").code == "already_admitted"


def test_a_repeated_claim_of_one_entry_claims_and_calls_once(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob")
    first = people.claim_one("bob", key="once", call=ROOM).json
    assert people.claim_one("bob", key="once", call=ROOM).json == first
    assert people.claim_one("bob", key="once").code == "idempotency_key_reused"
    assert people.events("bob") == ["joined", "offered", "called"]
    people.release("bob")
    assert people.claim_one("bob", key="once", call=ROOM).code == "not_waiting"
    assert people.status("bob") == "waiting"


def test_an_entry_that_is_not_ready_is_not_claimed(waitlist: Waitlist) -> None:
    people = waitlist("ann")
    people.hold_back("ann")
    assert people.claim_one("ann").code == "entry_not_ready"
    people.hold_back("ann", ready=True)
    assert people.claim_one("ann").status == 200


def test_the_limit_of_claims_applies(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", max_claims=1)
    people.claim()
    assert people.claim_one("bob").code == "claims_full"
    assert people.status("bob") == "waiting"
    people.release("ann")
    assert people.claim_one("bob").status == 200


@pytest.mark.parametrize("settings", [{}, {"segments": [["language"]]}])
def test_an_entry_that_is_claimed_by_name_leaves_its_segments(
    waitlist: Waitlist, world: World, settings: dict[str, object]
) -> None:
    people = waitlist(**settings)
    for name in ("ann", "bob"):
        people.sign_up(name, attributes={"language": "Spanish"})
    world.maintain()
    assert people.claim_one("ann").status == 200
    body: dict[str, Any] = {"filter": {"language": "Spanish"}} if settings else {}
    assert people.claimed(2, **body) == ["bob"]


def test_a_lost_entry_is_restored_and_claimed(waitlist: Waitlist) -> None:
    """If Redis has lost a waiting customer's entry, a claim restores it (promise P3)."""
    people = waitlist("ann", "bob")
    people.lose_place("bob")
    assert people.claim_one("bob").status == 200
    assert people.status("bob") == "offered"


def test_the_entry_of_the_newest_signup_is_claimed(waitlist: Waitlist) -> None:
    """After a failover, Redis may still have the entry of an earlier signup (promise P3)."""
    people = waitlist("ann", "bob", "cyd")
    before = RedisState.of(people.world.redis)
    people.leave("bob")
    people.sign_up("bob")
    before.restore(people.world.redis)
    assert people.claim_one("bob").status == 200
    assert (people.status("bob"), people.order()) == ("offered", ["ann", "cyd"])


def test_an_unknown_entry_is_not_found(waitlist: Waitlist) -> None:
    people = waitlist("ann")
    people.leave("ann")
    assert people.claim_one("ann").code == "not_waiting"
    assert people.claim_one("nobody").code == "entry_not_found"
