"""Deletes a waitlist and creates another one with the same id while requests and maintenance are
running.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from tests.reliability.faults.fixture import (
    LINE,
    WITH_EVE,
    FaultFixture,
    Stores,
    eve_has_left,
    eve_is_joining,
    line_with_eve,
)
from tests.support import faults
from tests.support.faults import Crash, Fault
from tests.support.people import People
from tests.support.snapshot import Snapshot
from tests.support.world import START_MILLIS
from waitlist_shared.errors import WaitlistError
from waitlist_shared.limits import ONCE_SECONDS

MINUTES_TO_DELETE = 4
NEWCOMERS = ("fay", "eve")


def leftovers(stores: Stores) -> list[object]:
    """Return everything that is still stored in DynamoDB and Redis, except data that expires by
    itself.
    """
    of_all = ("JOURNAL#", "MAINTENANCE")
    items = [key for key in stores.dynamodb.items if not key[0].startswith(of_all)]
    keys = [key for key in stores.redis.keys("*") if not _expires_by_itself(stores, key)]
    return [*items, *keys]


def _expires_by_itself(stores: Stores, key: str) -> bool:
    is_of_requests = ":once:" in key or ":moves:" in key
    return is_of_requests and 0 < stores.redis.ttl(key) <= ONCE_SECONDS


def delete_wholly(fixture: FaultFixture) -> None:
    for _ in range(MINUTES_TO_DELETE // 2):
        fixture.world.maintain()


def create_again(people: People) -> None:
    assert people.configure().status == 201
    for name in NEWCOMERS:
        assert people.sign_up(name, key=f"again-{name}").status == 201


def fail_at_each_step(
    fixture: FaultFixture, before: Snapshot, do: Callable[[], object], inject: Callable[[], Fault]
) -> Iterator[str]:
    fixture.stores.restore(before)
    fixture.wire.disarm()
    do()
    for step, name in fixture.wire.different_steps.items():
        fixture.stores.restore(before)
        fixture.world.clock.millis = START_MILLIS
        fixture.wire.arm(step, inject())
        with suppress(Crash, WaitlistError):
            do()
        fixture.wire.disarm()
        yield f"step {step} {name}"


def test_nothing_is_left_of_a_deleted_waitlist(fixture: FaultFixture) -> None:
    """When a waitlist is deleted, no record or history of its entries remains, whatever state they
    were in (promise P8).
    """
    line_with_eve(fixture)
    assert fixture.people.leave("ann").status == 204
    assert fixture.people.bump("dan", key="dan", to="front").status == 200
    assert fixture.people.delete_waitlist().status == 204
    delete_wholly(fixture)
    assert leftovers(fixture.stores) == []


@pytest.mark.parametrize("fault", [faults.crash_after, faults.unheard])
def test_an_interrupted_deletion_is_completed(fixture: FaultFixture, fault: Fault) -> None:
    """A deleted waitlist disappears completely, no matter at which step the request or maintenance
    is interrupted (promise P3).
    """
    line_with_eve(fixture)
    fixture.warm_up()

    def delete() -> None:
        fixture.people.delete_waitlist()
        delete_wholly(fixture)

    for where in fail_at_each_step(fixture, fixture.stores.snapshot(), delete, lambda: fault):
        assert fixture.people.delete_waitlist().status in (204, 404)
        delete_wholly(fixture)
        assert leftovers(fixture.stores) == [], where


@pytest.mark.parametrize("prepare", [eve_is_joining, eve_has_left, line_with_eve])
def test_the_next_waitlist_of_the_same_id_starts_empty(
    fixture: FaultFixture, prepare: Callable[[FaultFixture], None]
) -> None:
    """Nothing that is left of a deleted waitlist affects a new waitlist with the same id (promises
    P1 and P4).
    """
    prepare(fixture)
    fixture.people.delete_waitlist()
    delete_wholly(fixture)
    create_again(fixture.people)
    fixture.rebuild_elsewhere()
    assert fixture.order() == list(NEWCOMERS)
    assert not list(fixture.contradictions())


def test_an_interrupted_signup_is_deleted_with_its_list(
    fixture: FaultFixture,
) -> None:
    """A function that still has a deleted waitlist in its cache accepts a signup. If this signup is
    interrupted, maintenance deletes it (promise P1).
    """
    fixture.warm_up()
    assert FaultFixture(fixture.stores).people.delete_waitlist().status == 204
    fixture.world.clock.advance(25)
    fixture.wire.arm(0, faults.crash_after)
    with suppress(Crash):
        fixture.people.sign_up("gus", key="gus")
    fixture.wire.disarm()
    assert list(fixture.records()) == ["gus"]
    fixture.world.clock.advance(36)
    fixture.world.maintenance.run_all()
    assert leftovers(fixture.stores) == []


@pytest.mark.parametrize("ending", ["signup", "leave"])
def test_a_request_that_a_deletion_overtakes_leaves_no_trace(
    fixture: FaultFixture, ending: str
) -> None:
    """A waitlist is deleted and created again while a request to the old one is running.

    The request leaves no trace, and the people on the new waitlist stay (promises P1 and P3).
    """
    line_with_eve(fixture)
    fixture.warm_up()
    people = fixture.people
    other = FaultFixture(fixture.stores)

    def request() -> None:
        answer = people.sign_up("gus", key="gus") if ending == "signup" else people.leave("eve")
        assert answer.status in (201, 204, 404, 409, 503), answer

    def delete_and_create_again() -> None:
        assert other.people.delete_waitlist().status == 204
        other.world.maintenance.run_one("bakery")
        if other.people.configure().status == 201:
            other.people.sign_up("fay", key="again-fay")

    def inject() -> Fault:
        return faults.before(delete_and_create_again)

    for where in fail_at_each_step(fixture, fixture.stores.snapshot(), request, inject):
        delete_wholly(fixture)
        if people.configure().status == 201:
            people.sign_up("fay", key="again-fay")
        fixture.rebuild_elsewhere()
        assert fixture.order() == ["fay"], where
        assert set(fixture.records()) == {"fay"}, where


def test_a_late_run_of_maintenance_does_not_delete_the_next_waitlist(
    fixture: FaultFixture,
) -> None:
    """A run of maintenance is so slow that another run deletes the waitlist instead.

    When the slow run resumes, it does not delete a new waitlist with the same id (promise P3).
    """
    line_with_eve(fixture)
    fixture.people.delete_waitlist()
    other = FaultFixture(fixture.stores)

    def overtake() -> None:
        for _ in range(MINUTES_TO_DELETE):
            other.maintain_elsewhere(minutes=10)
        other.world.clock.advance(3600)
        create_again(other.people)

    where = ""
    for where in fail_at_each_step(
        fixture, fixture.stores.snapshot(), fixture.world.maintain, lambda: faults.before(overtake)
    ):
        fixture.world.maintain()
        fixture.rebuild_elsewhere()
        assert fixture.order() == list(NEWCOMERS), where
        assert not list(fixture.contradictions()), where
    assert where


def test_the_id_of_a_waitlist_cannot_be_used_while_it_is_being_deleted(
    fixture: FaultFixture,
) -> None:
    line_with_eve(fixture)
    fixture.people.delete_waitlist()
    assert fixture.people.configure().code == "waitlist_deleting"
    assert fixture.people.sign_up("fay").code == "waitlist_not_found"
    assert fixture.people.poll("ann").code == "waitlist_not_found"
    delete_wholly(fixture)
    create_again(fixture.people)
    assert fixture.order() == list(NEWCOMERS)


def test_deleting_a_waitlist_keeps_the_entries_of_other_waitlists(fixture: FaultFixture) -> None:
    """When a waitlist is deleted, other waitlists keep their interrupted signups (promise P3)."""
    eve_is_joining(fixture)
    other = People(fixture.world, "coffee")
    assert other.configure().status == 201
    other.all_sign_up(*WITH_EVE)
    assert other.delete_waitlist().status == 204
    delete_wholly(fixture)
    assert fixture.order() == [*LINE, "eve"]
    assert not list(fixture.contradictions())
