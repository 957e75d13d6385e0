"""Tests for completed claims, which are final. A worker may repeat the request with the same claim
token.
"""

from collections.abc import Callable

import pytest

from tests.service.acceptance.terms import LEASE_SECONDS, Waitlist
from tests.support import faults
from tests.support.admissions import FOREIGN_TOKEN, Admissions
from tests.support.faults import Wire
from tests.support.gateway import Answer
from tests.support.redis_servers import Server
from tests.support.tables import new_table
from tests.support.world import RedisClock, World

LONG_SECONDS = 900
# The number of calls that claiming and admitting a customer with one request takes.
STEPS = 4


def test_the_completed_are_admitted(waitlist: Waitlist) -> None:
    people = waitlist("ann", "bob")
    people.claim()
    answer = people.complete("ann", reason="at the door")
    assert (answer.status, answer.json["status"]) == (200, "admitted")
    assert people.status("ann") == people.recorded("ann")["status"] == "admitted"
    assert people.counts() == (1, 0, 0, 1, 0)
    assert people.listed("offered") == []


@pytest.mark.parametrize("minutes", [0, 30], ids=["at once", "much later"])
def test_the_same_token_may_complete_again(waitlist: Waitlist, world: World, minutes: int) -> None:
    """A worker that repeats `complete` with the same claim token gets the same response, and
    nothing changes (promise P2).
    """
    people = waitlist("ann")
    people.claim()
    first = people.complete("ann")
    for _ in range(minutes):
        world.advance(60)
        world.maintenance.run_all()
    again = people.complete("ann")
    assert (again.status, again.json) == (200, first.json)
    assert people.counts() == (0, 0, 0, 1, 0)
    assert people.events("ann") == ["joined", "offered", "admitted"]


def test_an_expired_token_completes_no_entry(waitlist: Waitlist, world: World) -> None:
    """A claim can no longer be completed in the millisecond when it ends (promise P4)."""
    people = waitlist("ann")
    people.claim()
    world.advance(LEASE_SECONDS)
    assert people.complete("ann").code == "claim_expired"
    world.maintain()
    assert people.complete("ann").code == "claim_expired"
    assert people.counts() == (1, 0, 0, 0, 0)


def test_a_claim_that_ended_with_parking_is_not_said_to_be_back_in_the_queue(
    waitlist: Waitlist,
) -> None:
    people = waitlist("ann")
    people.claim()
    people.park("ann")
    refused = people.complete("ann")
    assert (refused.code, people.status("ann")) == ("claim_expired", "parked")
    assert "queue" not in refused.json["detail"]
    assert "Get the entry to see its status" in refused.json["detail"]


REFUSALS: dict[str, tuple[Callable[[Admissions], Answer], str]] = {
    "complete by another": (
        lambda people: people.complete("ann", FOREIGN_TOKEN),
        "already_admitted",
    ),
    "release": (lambda people: people.release("ann"), "already_admitted"),
    "release to the back": (lambda people: people.release("ann", to="back"), "already_admitted"),
    "extend": (lambda people: people.extend("ann"), "already_admitted"),
    "park": (lambda people: people.park("ann"), "already_admitted"),
    "redrive": (lambda people: people.redrive("ann"), "already_admitted"),
    "bump": (lambda people: people.bump("ann", to="front"), "already_admitted"),
    "remove": (lambda people: people.remove("ann"), "already_admitted"),
    "leave": (lambda people: people.leave("ann"), "already_admitted"),
}


@pytest.mark.parametrize("seconds", [0, LONG_SECONDS], ids=["at once", "later"])
@pytest.mark.parametrize("what", REFUSALS)
def test_the_completed_refuse_everything(
    waitlist: Waitlist, world: World, what: str, seconds: int
) -> None:
    """No operation changes an admitted entry (promise P4)."""
    people = waitlist("ann", "bob", rejoin="never")
    people.claim()
    people.complete("ann")
    world.advance(seconds)
    world.maintenance.run_all()
    before = people.recorded("ann")
    ask, code = REFUSALS[what]
    assert ask(people).code == code
    assert people.sign_up("ann").code == "already_admitted"
    assert people.recorded("ann") == before
    assert people.order() == ["bob"]
    assert people.claimed(5) == ["bob"]
    assert people.counts() == (0, 1, 0, 1, 0)


def test_a_customer_who_is_admitted_at_once_is_not_in_the_queue_even_if_the_claim_expires(
    valkey: Server,
) -> None:
    """An operator claims and admits a customer with one request. If the claim expires at any step
    of the request, Redis returns the entry to the queue, and the request takes it out again.
    """
    for step in range(STEPS):
        valkey.client.flushall()
        wire, table, clock = Wire(), new_table(), RedisClock.standing()
        world = World.on(wire.client(table), valkey.client, wire.client, redis_clock=clock)
        people = Admissions(world)
        people.configure(lease_seconds=LEASE_SECONDS)
        people.all_sign_up("ann", "bob")

        elsewhere = World.on(table, valkey.client, redis_clock=clock)
        here = Admissions(elsewhere, names=people.names)

        def expire(clock: RedisClock = clock, here: Admissions = here) -> None:
            clock.advance(LEASE_SECONDS + 1)
            assert here.order()

        wire.arm(step, faults.before(expire))
        assert people.claimed(complete=True) == ["ann"]
        assert people.recorded("ann")["status"] == "admitted"
        assert people.order() == ["bob"], step


def test_a_token_of_another_waitlist_is_foreign(waitlist: Waitlist, world: World) -> None:
    """A claim token is not accepted on another waitlist, even if the same customer is claimed there
    too (promise P4).
    """
    bakery = waitlist("ann")
    cafe = Admissions(world, "cafe")
    cafe.configure()
    cafe.all_sign_up("ann")
    bakery.claim()
    cafe.claim()
    assert cafe.complete("ann", bakery.tokens["ann"]).code == "claim_mismatch"
    assert cafe.counts() == (0, 1, 0, 0, 0)


def test_operations_on_an_unknown_entry_are_refused(waitlist: Waitlist) -> None:
    people = waitlist("ann")
    refused = [people.act(verb, "zoe") for verb in ("complete", "release", "extend", "park")]
    refused += [people.redrive("zoe"), people.remove("zoe")]
    assert {answer.code for answer in refused} == {"entry_not_found"}
    assert people.counts() == (1, 0, 0, 0, 0)
