"""A bad request is refused with the field that is wrong, and changes nothing (P5)."""

from typing import Any

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.snapshot import Snapshot
from tests.support.world import World

TOKEN = "0123456789" * 4
CLAIM = {
    "no people": {"count": 0},
    "too many people": {"count": 101},
    "a count in words": {"count": "2"},
    "half a person": {"count": 1.5},
    "true as a count": {"count": True},
    "no time": {"lease_seconds": 0},
    "too long a time": {"lease_seconds": 43_201},
    "an unknown order": {"order": "random"},
    "an unknown field": {"counts": 2},
    "a token": {"claim_token": TOKEN},
    "complete in words": {"complete": "yes"},
    "no object": [],
}
VERBS = ("complete", "release", "extend", "park")
HOLD: dict[str, dict[str, Any]] = {
    "no token": {},
    "a short token": {"claim_token": TOKEN[:-1]},
    "a long token": {"claim_token": TOKEN + "0"},
    "a token with a line's end": {"claim_token": TOKEN + "\n"},
    "a token in capitals": {"claim_token": "ABCDEF" + TOKEN[6:]},
    "a number as token": {"claim_token": 7},
    "an unknown field": {"claim_token": TOKEN, "status": "admitted"},
    "too long a reason": {"claim_token": TOKEN, "reason": "x" * 501},
}
SPECIAL: dict[str, tuple[str, dict[str, Any]]] = {
    "extend by no time": ("extend", {"lease_seconds": 0}),
    "extend by too long a time": ("extend", {"lease_seconds": 43_201}),
    "extend with a reason": ("extend", {"reason": "why"}),
    "release to nowhere": ("release", {"to": "front"}),
    "park to the back": ("park", {"to": "back"}),
    "complete with a time": ("complete", {"lease_seconds": 5}),
}


@pytest.mark.parametrize("what", CLAIM)
def test_a_malformed_claim_takes_no_entry(waitlist: Waitlist, world: World, what: str) -> None:
    """Given people waiting, when a claim is malformed, then refused and nothing changes. P5."""
    people = waitlist("ann", "bob")
    before = Snapshot.of(world.dynamodb, world.redis)
    path = f"{people.admin_path}/claims"
    answer = world.request("POST", path, body=CLAIM[what], operator=True)
    assert (answer.status, answer.code) == (422, "invalid_request")
    assert answer.json["errors"]
    assert Snapshot.of(world.dynamodb, world.redis) == before


@pytest.mark.parametrize("verb", VERBS)
def test_a_bad_token_changes_nothing(waitlist: Waitlist, world: World, verb: str) -> None:
    """Given one held, when what is asked of the hold is malformed, then refused. P5."""
    people = waitlist("ann")
    people.claim()
    before = Snapshot.of(world.dynamodb, world.redis)
    path = f"{people.admin_path}/claims/{people.id_of('ann')}/{verb}"
    for what, body in HOLD.items():
        if verb == "extend" and "reason" in body:
            continue
        answer = world.request("POST", path, body=body, operator=True)
        assert (answer.status, answer.code) == (422, "invalid_request"), what
        assert str(body.get("claim_token")) not in answer.text, "a token is a secret"
    assert Snapshot.of(world.dynamodb, world.redis) == before


@pytest.mark.parametrize("what", SPECIAL)
def test_a_good_token_does_not_excuse_the_rest(waitlist: Waitlist, world: World, what: str) -> None:
    """Given one held, when the right token comes with a wrong field, then refused. P5."""
    people = waitlist("ann")
    people.claim()
    before = Snapshot.of(world.dynamodb, world.redis)
    verb, body = SPECIAL[what]
    assert people.act(verb, "ann", **body).code == "invalid_request"
    assert Snapshot.of(world.dynamodb, world.redis) == before


@pytest.mark.parametrize("route", ["claims", "claims/{}/complete", "parked/{}/redrive"])
def test_only_operators_admit(waitlist: Waitlist, world: World, route: str) -> None:
    """Given a customer's own token, when they try to admit themselves, then refused. P5."""
    people = waitlist("ann")
    people.claim()
    before = Snapshot.of(world.dynamodb, world.redis)
    path = f"{people.admin_path}/{route.format(people.id_of('ann'))}"
    body = {"claim_token": people.tokens["ann"]} if "complete" in route else {}
    answer = world.request("POST", path, body=body, token=people.token_of("ann"))
    assert (answer.status, answer.code) == (401, "unauthorized")
    assert Snapshot.of(world.dynamodb, world.redis) == before


@pytest.mark.parametrize("status", ["offered", "parked"])
def test_a_cursor_of_another_page_is_refused(waitlist: Waitlist, status: str) -> None:
    """Given cursors that no page gave, when used, then refused, not guessed at. P5."""
    people = waitlist("ann", "bob", "cyd")
    people.claim(1)
    waiting = people.page("status=waiting&limit=1").json["cursor"]
    for cursor in (waiting, "nonsense", "WzEsIngiXQ", "W10"):
        answer = people.page(f"status={status}&cursor={cursor}")
        assert (answer.status, answer.code) == (422, "invalid_request"), cursor


def test_an_impossible_entry_is_refused(waitlist: Waitlist, world: World) -> None:
    """Given an id that no entry has, when acted on, then refused before anything else. P5."""
    people = waitlist("ann")
    for entry_id in ("ann", "A" * 26, "a" * 27, "1" * 26):
        path = f"{people.admin_path}/claims/{entry_id}/complete"
        answer = world.request("POST", path, body={"claim_token": TOKEN}, operator=True)
        assert answer.status in (404, 422), entry_id
