"""Tests for releases. A released entry returns to its old place, or goes to the end of the
queue.
"""

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support import faults
from tests.support.admissions import Admissions
from tests.support.faults import Wire
from tests.support.redis_servers import Server
from tests.support.tables import new_table
from tests.support.world import RedisClock, World


def test_a_repeated_release_releases_once(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob")
    people.claim()
    first = people.release("ann", to="back")
    assert people.release("ann", to="back").json == first.json
    assert people.order() == ["bob", "ann"]
    assert people.events("ann") == ["joined", "offered", "released"]


def test_the_history_has_the_place_of_the_first_release(waitlist: Waitlist) -> None:
    """A worker sends the same release twice. The history contains the position that the entry got
    from the first request.
    """
    people = waitlist("ann", "bob", "cyd")
    people.claim()
    people.release("ann", to="back")
    people.leave("bob")
    people.release("ann", to="back")
    assert people.person("ann").json["history"][-1]["detail"] == {"position": 3}


def test_a_release_is_not_repeated_on_the_next_hold(waitlist: Waitlist) -> None:
    """A release that arrives again after the entry was claimed a second time does not end the new
    claim (promises P2 and P4).
    """
    people = waitlist("ann")
    people.claim()
    late = people.tokens["ann"]
    first = people.release("ann").json
    people.claim()
    repeat = people.release("ann", late)
    assert (repeat.status, repeat.json["status"]) == (200, "waiting")
    assert repeat.json["joined_at"] == first["joined_at"]
    assert people.events("ann") == ["joined", "offered", "released", "offered"]
    assert people.status("ann") == "offered"


def test_a_place_is_returned_only_when_it_is_known(waitlist: Waitlist, world: World) -> None:
    """While the queue is being rebuilt, the response to a release contains no position (promise
    P7).
    """
    people = waitlist("ann", "bob", "cyd", "dan", lease_seconds=600)
    people.claim(3)
    people.release("ann")
    world.redis.flushall()
    assert people.poll("dan").code == "rebuilding"
    answer = people.release("cyd").json
    assert (answer["status"], answer["position"], answer["total"]) == ("waiting", None, None)
    world.maintain()
    assert people.order() == ["ann", "cyd", "dan"]
    assert people.complete("bob").json["status"] == "admitted"


def test_a_release_that_is_recorded_late_has_no_position(valkey: Server) -> None:
    """The position at the time of the release is unknown by then, and Bob's position has
    changed.
    """
    wire = Wire()
    world = World.on(
        wire.client(new_table()), valkey.client, wire.client, redis_clock=RedisClock.standing()
    )
    people = Admissions(world)
    people.configure()
    people.all_sign_up("ann", "bob")
    people.claim(2)
    wire.disarm()
    wire.arm(1, faults.crash_before)
    with pytest.raises(faults.Crash):
        people.release("bob")
    wire.disarm()
    assert people.order() == ["bob"]
    people.release("ann")
    assert people.release("bob").json["position"] == 2
    history = {name: people.person(name).json["history"][-1] for name in ("ann", "bob")}
    assert [event["event"] for event in history.values()] == ["released"] * 2
    assert [event["detail"].get("position") for event in history.values()] == [1, None]
