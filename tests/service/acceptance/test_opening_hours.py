"""Tests of what customers and operators can do on a waitlist that is paused, closed or full."""

import pytest

from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support.world import World


def test_a_pause_lets_claimers_finish(waitlist: Waitlist) -> None:
    """If an operator pauses a waitlist, open claims can still be completed, released, extended or
    parked.
    """
    people = waitlist("ann", "bob", "cyd", "dan")
    people.claim(4)
    people.configure(paused=True)
    assert people.complete("ann").json["status"] == "admitted"
    assert people.release("bob").json["status"] == "waiting"
    assert people.park("cyd").json["status"] == "parked"
    assert people.extend("dan").json["status"] == "offered"
    assert people.redrive("cyd").json["status"] == "waiting"
    assert people.order() == ["bob", "cyd"]


def test_holds_end_on_a_paused_list_too(waitlist: Waitlist, world: World) -> None:
    """Claims expire on a paused waitlist too, and their entries return to the queue
    (promise P6).
    """
    people = waitlist("ann", "bob")
    people.claim()
    people.configure(paused=True, lease_seconds=LEASE_SECONDS)
    world.advance(LEASE_SECONDS)
    world.maintenance.run_all()
    assert people.order() == ["ann", "bob"]


@pytest.mark.parametrize("where", ["offered", "parked"])
def test_the_capacity_counts_those_aside(waitlist: Waitlist, where: str) -> None:
    """Claimed and parked entries count towards the waitlist's capacity. Admitted entries do not."""
    people = waitlist("ann", "bob", capacity=2)
    people.claim()
    if where == "parked":
        people.park("ann")
    assert people.sign_up("cyd").code == "waitlist_full"
    if where == "parked":
        people.redrive("ann")
        people.claim()
    people.complete("ann")
    assert people.sign_up("cyd").status == 201
    assert people.sign_up("dan").code == "waitlist_full"
    assert people.release("ann").code == "already_admitted"
    assert people.order() == ["bob", "cyd"]


def test_an_unknown_list_is_not_found(world: World) -> None:
    """The service answers every request about an unknown waitlist with status 404 (promise P5)."""
    path = "/v1/admin/waitlists/nowhere"
    entry = "a" * 26
    asked = {
        f"{path}/claims": {},
        f"{path}/claims/{entry}/complete": {"claim_token": "0" * 40},
        f"{path}/parked/{entry}/redrive": {},
    }
    for route, body in asked.items():
        answer = world.request("POST", route, body=body, operator=True)
        assert answer.code == "waitlist_not_found", route
    assert world.redis.keys("*") == []
