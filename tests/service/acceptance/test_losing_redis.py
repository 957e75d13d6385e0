"""Tests for Redis losing its data while people are claimed, have offers, or are parked."""

import pytest

from tests.service.acceptance import halfway
from tests.service.acceptance.terms import Waitlist
from tests.support.world import World
from waitlist_api.entries.position import Positions
from waitlist_api.queue.messages import init_of
from waitlist_api.records.entry import EntryRecord

LONG = 3600


@pytest.mark.parametrize("verb", ["enter", "decline"])
def test_an_offer_that_a_rebuild_restores_within_the_request_is_open(
    waitlist: Waitlist, world: World, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """If maintenance restores a lost offer while a request about this offer is running, the request
    succeeds (promise P3).
    """
    people = waitlist("ann", admission={"max_inside": 1})
    world.maintenance.run_all()
    world.redis.flushall()
    repair_place = Positions.repair_place

    def rebuilt(positions: Positions, record: EntryRecord) -> bool:
        world.maintenance.run_all()
        return repair_place(positions, record)

    monkeypatch.setattr(Positions, "repair_place", rebuilt)
    record = world.services.waitlist_records.get(people.waitlist_id)
    assert record is not None
    world.services.queue.send(init_of(record, "open", "0123abcd"))
    assert getattr(people, verb)("ann").status == 200


def test_without_the_queue_nobody_is_claimed_or_listed(waitlist: Waitlist, world: World) -> None:
    """While the queue is lost, the service claims nobody, and answers requests for lists and claims
    with a `rebuilding` error (promise P7).
    """
    people = waitlist("ann", "bob")
    people.claim(lease_seconds=LONG)
    world.redis.flushall()
    for answer in (people.claim(2), people.page("status=offered"), people.redrive("bob")):
        assert answer.status == 503 or answer.code == "not_parked"
    assert people.claim(2).code == "rebuilding"
    world.maintain()
    assert people.claimed(2) == ["bob"]


@pytest.mark.parametrize("verb", ["complete", "release", "extend", "park"])
def test_a_hold_that_redis_forgot_alone_is_put_back(
    waitlist: Waitlist, world: World, verb: str
) -> None:
    """If a replica is missing the newest claim, the next operation on this claim restores it and
    succeeds (promise P3).
    """
    people = waitlist("ann", "bob")
    people.claim()
    for name in ("held", "claims"):
        world.redis.delete(f"wl:{{bakery}}:{name}")
    assert people.act(verb, "ann").status == 200
    expected = {"complete": (1, 0, 0), "release": (2, 0, 0), "extend": (1, 1, 0), "park": (1, 0, 1)}
    assert people.counts()[:3] == expected[verb]


def test_counters_go_on_from_the_last_checkpoint(waitlist: Waitlist, world: World) -> None:
    """After a loss of Redis, the counters continue from the values that maintenance has stored in
    DynamoDB (promise P3).
    """
    people = waitlist("ann", "bob", "cyd", "dan", "eve", "fay")
    people.leave("ann")
    people.claim(complete=True)
    world.maintain()
    people.leave("cyd")
    people.claim(2)
    people.complete("dan")
    people.park("eve")
    world.redis.flushall()
    world.maintain()
    assert people.counts() == (1, 0, 1, 1, 1)
    assert people.leave("fay").status == 204
    people.all_sign_up("gil")
    assert people.counts() == (1, 0, 1, 1, 2)
    assert people.stats().json["signed_up"] == 7


def test_a_leave_that_began_during_a_rebuild_is_counted(waitlist: Waitlist, world: World) -> None:
    """A customer who leaves while the queue is being rebuilt is counted once, even if they send the
    request twice (promise P3).
    """
    people = waitlist("ann", "bob", "cyd")
    world.maintain()
    world.redis.flushall()
    assert people.claim().code == "rebuilding"
    halfway.leaving(people, "bob")
    world.maintenance.run_one(people.waitlist_id)
    assert people.leave("bob").status == 204
    for _ in range(2):
        assert people.counts() == (2, 0, 0, 0, 1)
        assert people.order() == ["ann", "cyd"]
        world.maintain()
