"""Tests for calls. An operator calls a claimed customer to a place, such as a room, and the
customer's app shows this place.
"""

from typing import Any

import pytest

from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support.admissions import Admissions
from tests.support.world import World

ROOM = {"to": "Room 2"}


def place_shown_to(people: Admissions, name: str) -> str | None:
    call = people.poll(name).json["call"]
    return None if call is None else str(call["to"])


def test_the_next_customer_is_called_to_a_room(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob")
    (claim,) = people.claim(call=ROOM).json["claims"]
    assert claim["call"]["to"] == "Room 2"
    polled = people.poll("ann").json
    assert (polled["status"], polled["call"]) == ("offered", claim["call"])
    assert place_shown_to(people, "bob") is None
    assert people.person("ann").json["call"] == claim["call"]
    assert people.events("ann") == ["joined", "offered", "called"]
    assert people.person("ann").json["history"][-1]["detail"] == ROOM


@pytest.mark.parametrize("request_again", ["signup", "confirm", "rest", "resume", "decline"])
def test_every_response_to_a_called_customer_contains_the_call(
    waitlist: Waitlist, request_again: str
) -> None:
    """A request that is repeated after the call gets the same call as a poll."""
    people = waitlist("ann", admission={}, rest={"max_days": 1, "times": 2})
    until = people.rest("ann", 60, key="rest").json["rest_until"]
    people.resume("ann")
    people.admit(1)
    people.decline("ann", key="decline")
    assert people.claim(call=ROOM).json["claims"] != []
    again = {
        "signup": lambda: people.sign_up("ann", key="signup-ann"),
        "confirm": lambda: people.confirm("ann"),
        "rest": lambda: people.rest("ann", 60, key="rest"),
        "resume": lambda: people.resume("ann", until),
        "decline": lambda: people.decline("ann", key="decline"),
    }
    answer = again[request_again]()
    assert answer.status == 200, answer.text
    call = people.poll("ann").json["call"]
    assert (answer.json["status"], answer.json["call"]) == ("offered", call)
    assert call["to"] == "Room 2"


def test_a_called_customer_is_told_within_five_seconds(waitlist: Waitlist) -> None:
    """Apps may poll 10% later than the service asks. Even then, a customer who is first in the
    queue or claimed must see a call within five seconds.
    """
    people = waitlist("ann")
    assert people.poll("ann").json["poll_after_seconds"] * 1.1 < 4
    people.claim()
    assert people.poll("ann").json["poll_after_seconds"] * 1.1 < 4
    people.call("ann", "Room 2")
    assert people.poll("ann").json["poll_after_seconds"] * 1.1 < 4


def test_a_claim_without_a_call_calls_nobody(waitlist: Waitlist) -> None:
    people = waitlist("ann")
    assert people.claim().json["claims"][0]["call"] is None
    assert place_shown_to(people, "ann") is None
    assert people.events("ann") == ["joined", "offered"]


def test_several_customers_are_called_to_the_same_place(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", "cyd")
    claims = people.claim(2, call={"to": "Bus 7"}).json["claims"]
    assert [claim["call"]["to"] for claim in claims] == ["Bus 7", "Bus 7"]
    assert [place_shown_to(people, name) for name in ("ann", "bob", "cyd")] == [
        "Bus 7",
        "Bus 7",
        None,
    ]


def test_calling_again_is_a_new_call(waitlist: Waitlist, world: World) -> None:
    people = waitlist("ann")
    people.claim(call=ROOM)
    first = people.poll("ann").json["call"]
    world.advance(20)
    again = people.call("ann", "Room 2").json
    assert again["call"]["to"] == "Room 2"
    assert again["call"]["called_at"] > first["called_at"]
    assert people.poll("ann").json["call"] == again["call"]
    assert people.call("ann", "Room 3").json["call"]["to"] == "Room 3"
    assert place_shown_to(people, "ann") == "Room 3"
    assert people.events("ann") == ["joined", "offered", "called", "called", "called"]


def test_a_repeated_call_calls_once(waitlist: Waitlist) -> None:
    """A late copy of a call does not replace a newer call (promise P2)."""
    people = waitlist("ann")
    people.claim()
    first = people.call("ann", "Room 2", key="first")
    assert people.call("ann", "Room 2", key="first").json == first.json
    people.call("ann", "Room 3", key="second")
    assert people.call("ann", "Room 2", key="first").json["call"]["to"] == "Room 3"
    assert place_shown_to(people, "ann") == "Room 3"
    assert people.events("ann") == ["joined", "offered", "called", "called"]


def test_one_key_does_not_call_a_claimed_customer_to_two_places(waitlist: Waitlist) -> None:
    """P5"""
    people = waitlist("ann")
    people.claim(call=ROOM)
    people.call("ann", "Room 2", key="k")
    refused = people.call("ann", "Room 3", key="k")
    assert (refused.status, refused.code) == (422, "idempotency_key_reused")
    people.call("ann", "Room 4", key="another")
    assert people.call("ann", "Room 3", key="k").code == "idempotency_key_reused"
    assert people.call("ann", "Room 2", key="k").json["call"]["to"] == "Room 4"
    assert place_shown_to(people, "ann") == "Room 4"
    assert people.events("ann").count("called") == 3


def test_a_repeated_claim_calls_once(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob")
    first = people.claim(key="next", call=ROOM).json
    assert people.claim(key="next", call=ROOM).json == first
    assert people.events("ann") == ["joined", "offered", "called"]
    assert people.status("bob") == "waiting"


def test_one_key_does_not_call_to_two_places(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob")
    people.claim(key="next", call=ROOM)
    refused = people.claim(key="next", call={"to": "Room 3"})
    assert refused.code == "idempotency_key_reused"
    assert people.status("bob") == "waiting"


@pytest.mark.parametrize("end", ["release", "complete", "park", "expiry"])
def test_a_call_ends_with_its_claim(waitlist: Waitlist, world: World, end: str) -> None:
    people = waitlist("ann")
    people.claim(call=ROOM)
    people.call("ann", "Room 2", key="k")
    if end == "expiry":
        world.advance(LEASE_SECONDS)
    else:
        people.act(end, "ann")
    assert people.poll("ann").json["call"] is None
    assert people.person("ann").json["call"] is None
    code = {"complete": "already_admitted"}.get(end, "claim_expired")
    for key in (None, "k"):
        assert people.call("ann", "Room 2", key=key).code == code


def test_the_next_claim_does_not_repeat_an_old_call(waitlist: Waitlist) -> None:
    people = waitlist("ann")
    people.claim(call=ROOM)
    late = people.tokens["ann"]
    people.release("ann")
    people.claim()
    assert place_shown_to(people, "ann") is None
    assert people.call("ann", "Room 2", token=late).code == "claim_mismatch"
    assert place_shown_to(people, "ann") is None


def test_only_the_desk_with_the_claim_can_call(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob", admission={"offer_seconds": 600})
    people.claim(call=ROOM)
    assert people.call("ann", "Room 3", token="0" * 40).code == "claim_mismatch"
    assert people.call("bob", "Room 3").code == "claim_mismatch"
    assert place_shown_to(people, "ann") == "Room 2"
    people.leave("ann")
    assert people.call("ann", "Room 3").code == "not_waiting"


def test_a_call_survives_the_loss_of_redis(waitlist: Waitlist, world: World) -> None:
    """A call survives a loss of Redis, because only DynamoDB stores it (promises P3 and P8)."""
    people = waitlist("ann", "bob", lease_seconds=600)
    people.claim(call={"to": "Zimmer Ö"})
    assert "Zimmer" not in str([world.redis.dump(key) for key in world.redis.scan_iter()])
    world.redis.flushall()
    world.redis.flushall()
    world.maintain()
    assert place_shown_to(people, "ann") == "Zimmer Ö"
    assert people.call("ann", "Room 3").json["call"]["to"] == "Room 3"


@pytest.mark.parametrize(
    "call", [{"to": ""}, {"to": "  "}, {"to": "a" * 61}, {"to": "a\nb"}, {"to": 2}, {}, "Room 2"]
)
def test_a_bad_call_claims_nobody(waitlist: Waitlist, call: Any) -> None:
    """P5"""
    people = waitlist("ann")
    refused = people.claim(call=call)
    assert refused.code == "invalid_request"
    assert "pattern" not in refused.text
    assert people.events("ann") == ["joined"]


def test_nobody_is_called_and_admitted_at_once(waitlist: Waitlist) -> None:
    people = waitlist("ann")
    assert people.claim(call=ROOM, complete=True).code == "invalid_request"
    assert people.events("ann") == ["joined"]
