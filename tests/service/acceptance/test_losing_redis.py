"""Redis is lost while people are held, parked, or have attempts against them."""

from collections.abc import Callable

import pytest

from tests.service.acceptance import halfway
from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support.world import World

LONG = 3600


Loss = Callable[[], None]


@pytest.fixture
def lose(world: World) -> Loss:
    """Return a way to lose Redis and have it rebuilt."""

    def lose() -> None:
        world.redis.flushall()
        world.maintain()

    return lose


def test_the_offered_are_held_again_by_the_same_token(waitlist: Waitlist, lose: Loss) -> None:
    """Given two held, when Redis is lost and rebuilt, then their tokens are still good. P3."""
    desk = waitlist("ann", "bob", "cyd", lease_seconds=LONG)
    desk.claim(2)
    before = desk.page("status=offered").json
    lose()
    assert desk.page("status=offered").json == before
    assert desk.order() == ["cyd"]
    assert desk.complete("ann").json["status"] == "admitted"
    assert desk.release("bob").json["position"] == 1
    assert desk.order() == ["bob", "cyd"]


def test_the_parked_stay_parked(waitlist: Waitlist, lose: Loss) -> None:
    """Given one parked, when Redis is lost and rebuilt, then parked since the same time. P3."""
    desk = waitlist("ann", "bob")
    desk.claim()
    desk.park("ann", reason="no show")
    before = desk.page("status=parked").json
    lose()
    assert desk.page("status=parked").json == before
    assert desk.claimed(2) == ["bob"]
    assert desk.redrive("ann").json["status"] == "waiting"


def test_attempts_are_kept(waitlist: Waitlist, world: World, lose: Loss) -> None:
    """Given attempts of one who waits and one who is held, when rebuilt, then kept. P3."""
    desk = waitlist("ann", "bob", lease_seconds=LONG)
    desk.claim(2, lease_seconds=LEASE_SECONDS)
    world.advance(LEASE_SECONDS)
    assert desk.claimed() == ["ann"]
    world.maintain()
    lose()
    assert desk.release("ann").status == 200
    claims = desk.claim(2).json["claims"]
    assert [(desk.names[one["entry_id"]], one["attempts"]) for one in claims] == [
        ("ann", 1),
        ("bob", 1),
    ]


def test_the_admitted_stay_admitted(waitlist: Waitlist, world: World, lose: Loss) -> None:
    """Given one completed and one dequeued, when rebuilt, then neither is in line. P4."""
    desk = waitlist("ann", "bob", "cyd")
    desk.claim()
    desk.complete("ann")
    desk.claim(complete=True)
    world.maintain()  # notes the counters
    lose()
    assert desk.order() == ["cyd"]
    assert desk.complete("ann").json["status"] == "admitted"
    assert desk.claimed(3) == ["cyd"]
    assert desk.counts()[3] == 2


def test_a_hold_that_ended_meanwhile_is_over(waitlist: Waitlist, world: World, lose: Loss) -> None:
    """Given a hold that expires while Redis is away, when rebuilt, then claimed again. P4."""
    desk = waitlist("ann", "bob")
    desk.claim()
    late = desk.tokens["ann"]
    lose()  # takes two minutes
    assert desk.complete("ann", late).code == "claim_expired"
    assert desk.claimed() == ["ann"]
    assert desk.complete("ann", late).code == "claim_mismatch"


def test_nothing_is_told_or_given_without_the_order(waitlist: Waitlist, world: World) -> None:
    """Given Redis just lost, when claimed or listed, then rebuilding, and no entry is given. P7."""
    desk = waitlist("ann", "bob")
    desk.claim(lease_seconds=LONG)
    world.redis.flushall()
    for answer in (desk.claim(2), desk.page("status=offered"), desk.redrive("bob")):
        assert answer.status == 503 or answer.code == "not_parked"
    assert desk.claim(2).code == "rebuilding"
    world.maintain()
    assert desk.claimed(2) == ["bob"]


@pytest.mark.parametrize("verb", ["complete", "release", "extend", "park"])
def test_a_hold_that_redis_forgot_alone_is_put_back(
    waitlist: Waitlist, world: World, verb: str
) -> None:
    """Given a replica that missed one claim and their signup, when acted on, then done. P3."""
    desk = waitlist("ann", "bob")
    desk.claim()
    for name in ("held", "claims"):
        world.redis.delete(f"wl:{{bakery}}:{name}")
    assert desk.act(verb, "ann").status == 200
    expected = {"complete": (1, 0, 0), "release": (2, 0, 0), "extend": (1, 1, 0), "park": (1, 0, 1)}
    assert desk.counts()[:3] == expected[verb]


def test_counters_go_on_from_the_last_checkpoint(waitlist: Waitlist, world: World) -> None:
    """Given counts that maintenance noted, when Redis is lost, then they go on from there. P3."""
    desk = waitlist("ann", "bob", "cyd", "dan", "eve", "fay")
    desk.leave("ann")
    desk.claim(complete=True)
    world.maintain()
    desk.leave("cyd")
    desk.claim(2)
    desk.complete("dan")
    desk.park("eve")
    world.redis.flushall()
    world.maintain()
    assert desk.counts() == (1, 0, 1, 1, 1)
    assert desk.leave("fay").status == 204
    desk.all_sign_up("gil")
    assert desk.counts() == (1, 0, 1, 1, 2)
    assert desk.stats().json["signed_up"] == 7


def test_a_leave_that_began_during_a_rebuild_is_counted(waitlist: Waitlist, world: World) -> None:
    """Given a leave recorded while the order is rebuilt, when repeated, then counted once. P3."""
    desk = waitlist("ann", "bob", "cyd")
    world.maintain()
    world.redis.flushall()
    assert desk.claim().code == "rebuilding"
    halfway.leaving(desk, "bob")
    world.services.maintenance.run_one(desk.waitlist_id)
    assert desk.leave("bob").status == 204
    for _ in range(2):
        assert desk.counts() == (2, 0, 0, 0, 1)
        assert desk.order() == ["ann", "cyd"]
        world.maintain()
