"""Tests for dequeues. A dequeue claims entries and completes them in a single request."""

from tests.service.acceptance import halfway
from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support.world import World


def test_a_dequeue_admits_at_once(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", "cyd")
    answer = people.claim(2, complete=True).json["claims"]
    assert [(people.names[claim["entry_id"]], claim["status"]) for claim in answer] == [
        ("ann", "admitted"),
        ("bob", "admitted"),
    ]
    assert people.counts() == (1, 0, 0, 2, 0)
    assert people.status("ann") == people.recorded("ann")["status"] == "admitted"
    assert people.events("ann") == ["joined", "admitted"]


def test_the_dequeued_are_admitted_for_good(waitlist: Waitlist, world: World) -> None:
    """A claimed entry returns to the queue when its lease ends. A dequeued entry does not (promise
    P4).
    """
    people = waitlist("ann", "bob")
    people.claim(1, complete=True)
    world.advance(LEASE_SECONDS)
    assert people.order() == ["bob"]
    world.maintain()
    assert people.order() == ["bob"]
    assert people.status("ann") == "admitted"


def test_the_claim_token_of_a_dequeue_only_repeats_complete(waitlist: Waitlist) -> None:
    people = waitlist("ann")
    people.claim(1, complete=True)
    assert people.complete("ann").json["status"] == "admitted"
    refused = (people.release("ann"), people.extend("ann"), people.park("ann"))
    assert {answer.code for answer in refused} == {"already_admitted"}
    assert people.counts() == (0, 0, 0, 1, 0)


def test_a_repeated_dequeue_returns_the_same_people(waitlist: Waitlist) -> None:
    """A worker that repeats a dequeue with the same idempotency key gets the same response (promise
    P2).
    """
    people = waitlist("ann", "bob", "cyd")
    first = people.claim(2, key="door", complete=True)
    assert people.claim(2, key="door", complete=True).json == first.json
    assert people.counts() == (1, 0, 0, 2, 0)


def test_a_dequeue_skips_those_who_left(waitlist: Waitlist) -> None:
    """DynamoDB has recorded that a customer is leaving, but Redis does not know yet. A dequeue must
    skip this customer, and returns one customer fewer than requested.
    """
    people = waitlist("ann", "bob", "cyd")
    halfway.leaving(people, "ann")
    assert people.claimed(2, complete=True) == ["bob"]
    assert people.claimed(2, complete=True) == ["cyd"]
    assert people.recorded("ann")["status"] == "leaving"
