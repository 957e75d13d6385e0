"""Holds that end by time: hidden until then, back at the old place after, and counted."""

import pytest

from tests.service.acceptance.terms import LEASE_SECONDS, MAX_ATTEMPTS, Waitlist
from tests.support.world import World


@pytest.mark.parametrize("by", ["claims", "maintenance"])
def test_too_many_attempts_park(waitlist: Waitlist, world: World, by: str) -> None:
    """Given a list of three attempts, when the third is over, then parked with the reason."""
    desk = waitlist("ann", "bob")
    for attempt in range(MAX_ATTEMPTS):
        (claim,) = desk.claim().json["claims"]
        assert (desk.names[claim["entry_id"]], claim["attempts"]) == ("ann", attempt)
        world.advance(LEASE_SECONDS)
        if by == "maintenance":
            world.maintenance.run_all()
    assert desk.claimed(2) == ["bob"]
    assert desk.status("ann") == "parked"
    desk.complete("bob")
    world.maintain()
    person = desk.person("ann").json
    assert (person["status"], person["attempts"]) == ("parked", MAX_ATTEMPTS)
    assert person["park_reason"] == "max_attempts"
    assert desk.listed("parked") == ["ann"]


def test_the_minute_ends_holds_that_nobody_claims(waitlist: Waitlist, world: World) -> None:
    """Given holds that end and no claims, when a minute and one more pass, then all is back."""
    desk = waitlist("ann", "bob", "cyd")
    desk.claim(2)
    world.advance(LEASE_SECONDS)
    world.maintenance.run_all()
    assert desk.order() == ["ann", "bob", "cyd"]
    world.advance(60)
    world.maintenance.run_all()
    for name in ("ann", "bob"):
        person = desk.person(name).json
        assert (person["status"], person["attempts"]) == ("waiting", 1)
        assert person["claimed_until"] is None
        assert desk.recorded(name)["status"] == "waiting"
        assert desk.events(name) == ["joined", "offered", "expired"]
    assert person["history"][-1]["by"] == "maintenance"


def test_an_expiry_that_a_claim_meets_is_recorded(waitlist: Waitlist, world: World) -> None:
    """Given an expired hold, when a claim meets it, then the history has its end once."""
    desk = waitlist("ann")
    desk.claim()
    world.advance(LEASE_SECONDS)
    desk.claim()
    for _ in range(3):
        world.maintain()
    assert desk.events("ann") == ["joined", "offered", "expired", "offered", "expired"]


def test_a_bump_of_one_whose_hold_has_ended_is_kept(waitlist: Waitlist, world: World) -> None:
    """Given one back in the queue, recorded as offered, when bumped, then recorded waiting. P2."""
    desk = waitlist("ann", "bob", "cyd")
    assert desk.claimed(2) == ["ann", "bob"]
    world.advance(LEASE_SECONDS)
    assert desk.claimed() == ["ann"]
    answer = desk.bump("bob", to="back")
    assert (answer.status, answer.json["position"]) == (200, 2)
    world.maintain()
    world.maintain()
    world.redis.flushall()
    world.maintain()
    assert desk.order() == ["ann", "cyd", "bob"]
    assert desk.recorded("bob")["attempts"] == 1
