"""Interrupts requests that create a waitlist or change its settings.

Afterwards, the settings in DynamoDB and Redis must be the same.
"""

import contextlib
from collections.abc import Callable, Iterator

import pytest

from tests.reliability.faults.fixture import LINE, FaultFixture, Stores, line
from tests.support import faults
from tests.support.faults import Crash, Fault
from tests.support.gateway import Answer
from tests.support.snapshot import Snapshot

CUT_OFF = [faults.crash_after, faults.lost, faults.unheard]
each_fault = pytest.mark.parametrize("fault", CUT_OFF)


def cut_off(
    stores: Stores, before: Snapshot, fault: Fault, request: Callable[[FaultFixture], Answer]
) -> Iterator[FaultFixture]:
    stores.restore(before)
    whole = FaultFixture(stores)
    request(whole)
    for step in range(len(whole.wire.names)):
        stores.restore(before)
        fixture = FaultFixture(stores)
        fixture.wire.arm(step, fault)
        with contextlib.suppress(Crash):
            request(fixture)
        fixture.wire.disarm()
        yield fixture


@each_fault
def test_an_interrupted_creation_leaves_a_working_waitlist_or_none(
    stores: Stores, fault: Fault
) -> None:
    """P3 P7"""
    for fixture in cut_off(
        stores, stores.snapshot(), fault, lambda fixture: fixture.people.configure()
    ):
        answer = fixture.people.sign_up("ann", key="ann")
        if answer.code == "waitlist_not_found":
            continue
        assert answer.status == 201
        fixture.world.maintain()
        assert fixture.order() == ["ann"]
        assert not list(fixture.contradictions())


@each_fault
def test_repeating_an_interrupted_creation_creates_the_waitlist(
    stores: Stores, fault: Fault
) -> None:
    """P2."""
    for fixture in cut_off(
        stores, stores.snapshot(), fault, lambda fixture: fixture.people.configure()
    ):
        assert fixture.people.configure().status in (200, 201)
        fixture.world.maintain()
        fixture.people.all_sign_up(*LINE)
        assert fixture.order() == list(LINE)


@each_fault
def test_maintenance_writes_new_settings_to_redis(fixture: FaultFixture, fault: Fault) -> None:
    """If a change of settings is interrupted and never repeated, maintenance makes sure that
    signups follow the settings that GET shows (promise P3).
    """
    line(fixture)
    assert fixture.people.configure(open=False).status == 200
    before = fixture.stores.snapshot()
    path = fixture.people.admin_path
    for injected in cut_off(
        fixture.stores, before, fault, lambda one: one.people.configure(capacity=5)
    ):
        injected.world.maintain()
        injected.world.maintain()
        shown = injected.world.request("GET", path, operator=True).json
        expected = ["ann", "bob", "cyd", "dan"]
        if shown["open"]:
            assert injected.people.sign_up("eve", key="eve").status == 201
            assert injected.people.sign_up("fay", key="fay").code == "waitlist_full"
            expected.append("eve")
        else:
            assert injected.people.sign_up("eve", key="eve").code == "waitlist_closed"
        assert injected.order() == expected


def test_a_delayed_request_does_not_restore_old_settings(fixture: FaultFixture) -> None:
    """P2"""
    line(fixture)
    other = FaultFixture(fixture.stores).people
    fixture.wire.arm(3, faults.before(lambda: other.configure(capacity=4)))
    assert fixture.people.configure(capacity=5).status == 200
    assert fixture.people.sign_up("eve", key="eve").code == "waitlist_full"
