"""Holds that end by time: hidden until then, back at the old place after, and counted."""

import pytest

from tests.service.acceptance.terms import LEASE_SECONDS, MAX_ATTEMPTS, Waitlist
from tests.support.world import World


def test_the_expired_come_before_those_behind_them(waitlist: Waitlist, world: World) -> None:
    """Given the first of three expired, when claimed, then the first comes again. P1."""
    desk = waitlist("ann", "bob", "cyd")
    assert desk.claimed() == ["ann"]
    world.advance(LEASE_SECONDS)
    (claim,) = desk.claim().json["claims"]
    assert (desk.names[claim["entry_id"]], claim["attempts"]) == ("ann", 1)
    assert desk.order() == ["bob", "cyd"]


def test_the_held_are_hidden_until_the_deadline(waitlist: Waitlist, world: World) -> None:
    """Given one of two held, when claimed a second before the deadline, then the other comes."""
    desk = waitlist("ann", "bob")
    assert desk.claimed() == ["ann"]
    world.advance(LEASE_SECONDS - 1)
    assert desk.claimed(2) == ["bob"]
    assert desk.status("ann") == "offered"
    world.advance(1)
    assert desk.claimed(2) == ["ann"]


def test_heartbeats_hold_on(waitlist: Waitlist, world: World) -> None:
    """Given extensions before each deadline, when time passes, then no other claim gets them."""
    desk = waitlist("ann", "bob")
    desk.claim()
    for _ in range(5):
        world.advance(LEASE_SECONDS - 1)
        assert desk.extend("ann").json["status"] == "offered"
        world.services.maintenance.run_all()
    assert desk.claimed(2) == ["bob"]
    assert desk.complete("ann").json["status"] == "admitted"
    assert desk.events("ann") == ["joined", "offered", "admitted"]


def test_an_extension_counts_from_now_on(waitlist: Waitlist, world: World) -> None:
    """Given a hold of 60 s, when extended after 30 s by 10 s, then it ends at 40 s."""
    desk = waitlist("ann")
    desk.claim()
    world.advance(30)
    held = desk.extend("ann", lease_seconds=10).json
    assert held["claimed_until"] == desk.person("ann").json["claimed_until"]
    world.advance(9.999)
    assert desk.claimed() == []
    world.advance(0.001)
    assert desk.claimed() == ["ann"]


def test_many_expire_in_their_old_order(waitlist: Waitlist, world: World) -> None:
    """Given holds that end in another order, when all are over, then the old order holds. P1."""
    desk = waitlist("ann", "bob", "cyd", "dan", "eve")
    for seconds in (30, 10, 20):
        desk.claim(lease_seconds=seconds)
    world.advance(30)
    assert desk.claimed(5) == ["ann", "bob", "cyd", "dan", "eve"]


@pytest.mark.parametrize("by", ["claims", "maintenance"])
def test_too_many_attempts_park(waitlist: Waitlist, world: World, by: str) -> None:
    """Given a list of three attempts, when the third is over, then parked with the reason."""
    desk = waitlist("ann", "bob")
    for attempt in range(MAX_ATTEMPTS):
        (claim,) = desk.claim().json["claims"]
        assert (desk.names[claim["entry_id"]], claim["attempts"]) == ("ann", attempt)
        world.advance(LEASE_SECONDS)
        if by == "maintenance":
            world.services.maintenance.run_all()
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
    world.services.maintenance.run_all()
    assert desk.order() == ["ann", "bob", "cyd"]
    world.advance(60)
    world.services.maintenance.run_all()
    for name in ("ann", "bob"):
        person = desk.person(name).json
        assert (person["status"], person["attempts"]) == ("waiting", 1)
        assert person["claimed_until"] is None
        assert desk.recorded(name)["status"] == "waiting"
        assert desk.events(name) == ["joined", "offered", "expired"]
    assert person["history"][-1]["by"] == "maintenance"


def test_an_expiry_that_a_claim_meets_is_told(waitlist: Waitlist, world: World) -> None:
    """Given an expired hold, when a claim meets it, then the history has its end once."""
    desk = waitlist("ann")
    desk.claim()
    world.advance(LEASE_SECONDS)
    desk.claim()
    for _ in range(3):
        world.maintain()
    assert desk.events("ann") == ["joined", "offered", "expired", "offered", "expired"]


def test_attempts_are_forgiven_nobody_by_waiting(waitlist: Waitlist, world: World) -> None:
    """Given one attempt, when released and bumped, then the next claim still counts it."""
    desk = waitlist("ann", "bob")
    desk.claim()
    world.advance(LEASE_SECONDS)
    desk.claim()
    desk.release("ann")
    desk.bump("ann", to="front")
    desk.bump("ann", to="back")
    claims = desk.claim(2).json["claims"]
    assert [(desk.names[one["entry_id"]], one["attempts"]) for one in claims] == [
        ("bob", 0),
        ("ann", 1),
    ]


def test_a_position_behind_the_expired_is_true(waitlist: Waitlist, world: World) -> None:
    """Given the first expired, when it is back, then the others are behind it. P6."""
    desk = waitlist("ann", "bob")
    desk.claim()
    assert desk.place("bob") == (1, 1)
    world.advance(LEASE_SECONDS)
    world.services.maintenance.run_all()
    assert [desk.place(name) for name in ("ann", "bob")] == [(1, 2), (2, 2)]


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
