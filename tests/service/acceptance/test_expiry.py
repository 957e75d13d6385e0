"""Nobody can claim an entry that is claimed. When the claim expires, the entry returns to its
place, and the service counts the failed attempt.
"""

import pytest

from tests.service.acceptance.terms import LEASE_SECONDS, MAX_ATTEMPTS, Waitlist
from tests.support.world import World


@pytest.mark.parametrize("by", ["claims", "maintenance"])
def test_too_many_attempts_park(waitlist: Waitlist, world: World, by: str) -> None:
    """An entry is parked when its third claim expires, because the waitlist allows three
    attempts.
    """
    people = waitlist("ann", "bob")
    for attempt in range(MAX_ATTEMPTS):
        (claim,) = people.claim().json["claims"]
        assert (people.names[claim["entry_id"]], claim["attempts"]) == ("ann", attempt)
        world.advance(LEASE_SECONDS)
        if by == "maintenance":
            world.maintenance.run_all()
    assert people.claimed(2) == ["bob"]
    assert people.status("ann") == "parked"
    people.complete("bob")
    world.maintain()
    person = people.person("ann").json
    assert (person["status"], person["attempts"]) == ("parked", MAX_ATTEMPTS)
    assert person["park_reason"] == "max_attempts"
    assert people.listed("parked") == ["ann"]


def test_maintenance_ends_holds_without_another_claim(waitlist: Waitlist, world: World) -> None:
    """When a claim expires, maintenance returns the entry to the queue, even if no new claim comes
    in.
    """
    people = waitlist("ann", "bob", "cyd")
    people.claim(2)
    world.advance(LEASE_SECONDS)
    world.maintenance.run_all()
    assert people.order() == ["ann", "bob", "cyd"]
    world.advance(60)
    world.maintenance.run_all()
    for name in ("ann", "bob"):
        person = people.person(name).json
        assert (person["status"], person["attempts"]) == ("waiting", 1)
        assert person["claimed_until"] is None
        assert people.recorded(name)["status"] == "waiting"
        assert people.events(name) == ["joined", "offered", "expired"]
    assert person["history"][-1]["by"] == "maintenance"


def test_an_expiry_just_before_the_next_claim_is_recorded_once(
    waitlist: Waitlist, world: World
) -> None:
    people = waitlist("ann")
    people.claim()
    world.advance(LEASE_SECONDS)
    people.claim()
    for _ in range(3):
        world.maintain()
    assert people.events("ann") == ["joined", "offered", "expired", "offered", "expired"]


def test_a_move_of_an_entry_whose_claim_has_ended_is_kept(waitlist: Waitlist, world: World) -> None:
    """Redis has ended Bob's claim, but DynamoDB has not recorded this yet. If an operator moves Bob
    now, he keeps his new place, even if Redis loses its data (promise P2).
    """
    people = waitlist("ann", "bob", "cyd")
    assert people.claimed(2) == ["ann", "bob"]
    world.advance(LEASE_SECONDS)
    assert people.claimed() == ["ann"]
    answer = people.bump("bob", to="back")
    assert (answer.status, answer.json["position"]) == (200, 2)
    world.maintain()
    world.maintain()
    world.redis.flushall()
    world.maintain()
    assert people.order() == ["ann", "cyd", "bob"]
    assert people.recorded("bob")["hold"]["attempts"] == 1
