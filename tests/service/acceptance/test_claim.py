"""Tests for claims: which entries a claim returns, and what the response says about them."""

from typing import Any

import pytest

from tests.service.acceptance import halfway
from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support.world import START_MILLIS, World
from waitlist_api.clock import iso


def test_a_claim_returns_everything_that_a_worker_needs(waitlist: Waitlist) -> None:
    people = waitlist()
    people.sign_up("ann", profile={"phone": "+49 30 1"}, attributes={"language": "German"})
    (claim,) = people.claim().json["claims"]
    assert len(claim.pop("claim_token")) == 40
    assert claim == {
        "entry_id": people.id_of("ann"),
        "status": "offered",
        "claimed_until": iso(START_MILLIS + LEASE_SECONDS * 1000),
        "attempts": 0,
        "customer_id": "ann",
        "profile": {"phone": "+49 30 1"},
        "attributes": {"language": "German"},
        "priority": 0,
        "joined_at": iso(START_MILLIS),
        "filter_index": None,
        "call": None,
        "call_number": None,
    }


def test_a_claim_of_a_hundred_is_one_round_trip(
    waitlist: Waitlist, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claiming 100 waiting people takes only one call to Redis (promise P9)."""
    people = waitlist()
    people.bring(*(f"person-{number:03}" for number in range(101)))
    people.claim(1)  # so that Redis has the script
    calls = []
    execute = world.redis.execute_command

    def counted(*arguments: Any) -> Any:
        calls.append(arguments[0])
        return execute(*arguments)

    monkeypatch.setattr(world.redis, "execute_command", counted)
    monkeypatch.delattr(type(world.redis), "pipeline")
    assert len(people.claimed(100)) == 100
    assert calls == ["EVALSHA"]


@pytest.mark.parametrize("seconds", [1, 12 * 3600])
def test_a_claim_can_have_its_own_lease(waitlist: Waitlist, world: World, seconds: int) -> None:
    """A claim with its own `lease_seconds` ends after exactly that time."""
    people = waitlist("ann", "bob")
    assert people.claimed(1, lease_seconds=seconds) == ["ann"]
    world.advance(seconds - 0.001)
    assert people.extend("ann", lease_seconds=seconds).status == 200
    world.advance(seconds)
    assert people.extend("ann").code == "claim_expired"
    assert people.claimed(2) == ["ann", "bob"]


def test_the_claim_of_a_customer_who_is_leaving_is_not_extended(waitlist: Waitlist) -> None:
    """The record says that Ann is leaving, but Redis does not know it yet."""
    people = waitlist("ann")
    people.claim()
    halfway.leaving(people, "ann")
    assert people.extend("ann").code == "not_waiting"


def test_a_repeated_claim_gets_the_same(waitlist: Waitlist) -> None:
    """A second claim with the same idempotency key returns the same people (promise P2)."""
    people = waitlist("ann", "bob", "cyd")
    first = people.claim(2, key="morning")
    assert people.claim(2, key="morning").json == first.json
    assert people.order() == ["cyd"]
    assert people.events("ann") == ["joined", "offered"]


def test_one_who_is_leaving_is_not_given(waitlist: Waitlist) -> None:
    """DynamoDB has recorded that two customers are leaving, but Redis does not know yet. A claim
    must skip these customers, and Redis then counts them as having left.
    """
    people = waitlist("ann", "bob", "cyd", "dan", "eve")
    for name in ("ann", "cyd"):
        halfway.leaving(people, name)
    assert people.claimed(2) == ["bob"]
    assert people.claimed(2) == ["dan"]
    assert people.order() == ["eve"]
    assert people.counts()[:2] == (1, 2)
    assert people.stats().json["left"] == 2


def test_a_claim_completes_an_interrupted_signup(waitlist: Waitlist) -> None:
    """Redis has an entry whose signup DynamoDB has not completed. Claiming this entry completes the
    signup (promise P3).
    """
    people = waitlist("ann")
    halfway.joining(people, "bob")
    assert people.claimed(2) == ["ann", "bob"]
    assert people.events("bob") == ["joined", "offered"]
    assert people.complete("bob").json["status"] == "admitted"


def test_a_list_may_allow_one_claim_at_a_time(waitlist: Waitlist, world: World) -> None:
    """If `max_claims` is 1, a second claim returns nobody while the first person is claimed."""
    people = waitlist("ann", "bob", "eve", max_claims=1)
    assert people.claimed(1) == ["ann"]
    assert people.claim(3).json == {"claims": [], "limit": "max_claims"}
    people.complete("ann")
    first = people.claim(3, key="one-by-one").json
    assert ([people.names[one["entry_id"]] for one in first["claims"]], first["limit"]) == (
        ["bob"],
        "max_claims",
    )
    assert people.claim(3, key="one-by-one").json == first
    world.advance(LEASE_SECONDS)
    assert people.claim(1, complete=True).json["limit"] is None
