"""Who is given to a claimer, and what comes with them."""

from typing import Any

import pytest

from tests.service.acceptance import halfway
from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support.world import START_MILLIS, World
from waitlist_api.clock import iso


def test_two_claims_take_the_two_oldest(waitlist: Waitlist) -> None:
    """Given three waiting, when two claim one each, then they have the two oldest. P1, P4."""
    desk = waitlist("ann", "bob", "cyd")
    first, second = desk.claim().json["claims"], desk.claim().json["claims"]
    assert [desk.names[claim["entry_id"]] for claim in first + second] == ["ann", "bob"]
    assert first[0]["claim_token"] != second[0]["claim_token"]
    assert desk.order() == ["cyd"]


def test_a_claim_tells_all_that_a_claimer_needs(waitlist: Waitlist) -> None:
    """Given one with a profile, when claimed, then all is returned, with the list's own lease."""
    desk = waitlist()
    desk.sign_up("ann", profile={"phone": "+49 30 1"}, attributes={"language": "German"})
    (claim,) = desk.claim().json["claims"]
    assert len(claim.pop("claim_token")) == 40
    assert claim == {
        "entry_id": desk.id_of("ann"),
        "status": "offered",
        "claimed_until": iso(START_MILLIS + LEASE_SECONDS * 1000),
        "attempts": 0,
        "customer_id": "ann",
        "profile": {"phone": "+49 30 1"},
        "attributes": {"language": "German"},
        "priority": 0,
        "joined_at": iso(START_MILLIS),
    }


def test_the_claimed_leave_the_positions_at_once(waitlist: Waitlist) -> None:
    """Given four waiting, when two are claimed, then the others move up at once. P6."""
    desk = waitlist("ann", "bob", "cyd", "dan")
    desk.claim(2)
    assert [desk.place(name) for name in ("cyd", "dan")] == [(1, 2), (2, 2)]
    assert desk.place("ann") == (None, None)
    assert desk.status("ann") == desk.recorded("ann")["status"] == "offered"


def test_an_empty_list_gives_nobody(waitlist: Waitlist) -> None:
    """Given an empty queue, when claimed, then the answer is empty, and no failure."""
    desk = waitlist()
    answer = desk.claim(100)
    assert (answer.status, answer.json) == (200, {"claims": []})


def test_a_claim_of_more_than_wait_gives_all(waitlist: Waitlist) -> None:
    """Given two waiting, when five are claimed, then both are given, in order."""
    assert waitlist("ann", "bob").claimed(5) == ["ann", "bob"]


def test_the_newest_can_be_claimed_first(waitlist: Waitlist) -> None:
    """Given four waiting, when the two newest are claimed, then the last comes first."""
    desk = waitlist("ann", "bob", "cyd", "dan")
    assert desk.claimed(2, order="newest") == ["dan", "cyd"]
    assert desk.claimed(1, order="oldest") == ["ann"]


def test_a_higher_priority_is_claimed_first(waitlist: Waitlist) -> None:
    """Given one of three bumped to a priority, when all are claimed, then that one leads. P1."""
    desk = waitlist("ann", "bob", "cyd")
    desk.bump("cyd", priority=9)
    answer = desk.claim(3).json["claims"]
    assert [desk.names[claim["entry_id"]] for claim in answer] == ["cyd", "ann", "bob"]
    assert [claim["priority"] for claim in answer] == [9, 0, 0]


def test_no_two_of_a_hundred_share_a_token(waitlist: Waitlist) -> None:
    """Given a hundred waiting, when all are claimed, then each has a token of their own. P4."""
    names = [f"person-{number:03}" for number in range(100)]
    desk = waitlist(*names)
    assert desk.claimed(100) == names
    assert len(set(desk.tokens.values())) == 100


def test_a_claim_of_a_hundred_is_one_round_trip(
    waitlist: Waitlist, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a hundred waiting, when claimed at once, then Redis is called once. P9."""
    desk = waitlist(*(f"person-{number:03}" for number in range(101)))
    desk.claim(1)  # so that Redis has the script
    calls = []
    execute = world.redis.execute_command

    def counted(*arguments: Any) -> Any:
        calls.append(arguments[0])
        return execute(*arguments)

    monkeypatch.setattr(world.redis, "execute_command", counted)
    monkeypatch.delattr(type(world.redis), "pipeline")
    assert len(desk.claimed(100)) == 100
    assert calls == ["EVALSHA"]


@pytest.mark.parametrize("seconds", [1, 12 * 3600])
def test_a_claim_may_have_its_own_time(waitlist: Waitlist, world: World, seconds: int) -> None:
    """Given a time of the claim's own, when it is over and not before, then the hold ends."""
    desk = waitlist("ann", "bob")
    assert desk.claimed(1, lease_seconds=seconds) == ["ann"]
    world.advance(seconds - 0.001)
    assert desk.extend("ann", lease_seconds=seconds).status == 200
    world.advance(seconds)
    assert desk.extend("ann").code == "claim_expired"
    assert desk.claimed(2) == ["ann", "bob"]


def test_a_repeated_claim_gets_the_same(waitlist: Waitlist) -> None:
    """Given a claim with a key, when it is repeated, then it has the same people. P2."""
    desk = waitlist("ann", "bob", "cyd")
    first = desk.claim(2, key="morning")
    assert desk.claim(2, key="morning").json == first.json
    assert desk.order() == ["cyd"]
    assert desk.events("ann") == ["joined", "offered"]


def test_a_repeated_claim_never_takes_more(waitlist: Waitlist) -> None:
    """Given a keyed claim, one admitted since, when repeated, then no entry is added. P2."""
    desk = waitlist("ann", "bob", "cyd")
    assert desk.claimed(2, key="morning") == ["ann", "bob"]
    desk.complete("ann")
    assert desk.claimed(2, key="morning") == ["bob"]
    assert desk.order() == ["cyd"]


def test_a_claim_that_found_too_few_stays_as_it_was(waitlist: Waitlist) -> None:
    """Given a keyed claim that found one, when another joins, then a repeat has the one. P2."""
    desk = waitlist("ann")
    assert desk.claimed(2, key="morning") == ["ann"]
    desk.all_sign_up("bob")
    assert desk.claimed(2, key="morning") == ["ann"]
    assert desk.claimed(2, key="evening") == ["bob"]


def test_one_who_is_leaving_is_not_given(waitlist: Waitlist) -> None:
    """Given two whose leave has not reached Redis, when two are claimed, then one is given. P4."""
    desk = waitlist("ann", "bob", "cyd", "dan", "eve")
    for name in ("ann", "cyd"):
        halfway.leaving(desk, name)
    assert desk.claimed(2) == ["bob"]
    assert desk.claimed(2) == ["dan"]
    assert desk.order() == ["eve"]
    assert desk.counts()[:2] == (1, 2)


def test_one_who_is_still_joining_can_be_claimed(waitlist: Waitlist) -> None:
    """Given a signup with a place and no record of it, when claimed, then it is finished. P3."""
    desk = waitlist("ann")
    halfway.joining(desk, "bob")
    assert desk.claimed(2) == ["ann", "bob"]
    assert desk.events("bob") == ["joined", "offered"]
    assert desk.complete("bob").json["status"] == "admitted"
