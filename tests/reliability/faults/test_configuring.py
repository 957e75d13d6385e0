"""A waitlist's configuration is cut off between the record and Redis: both agree in the end."""

import contextlib
from collections.abc import Callable, Iterator

import pytest

from tests.reliability.faults.scene import LINE, Scene, Stores, line
from tests.support import faults
from tests.support.faults import Crash, Fault
from tests.support.gateway import Answer
from tests.support.snapshot import Snapshot

CUT_OFF = [faults.crash_before, faults.crash_after, faults.lost, faults.unheard]
each_fault = pytest.mark.parametrize("fault", CUT_OFF)


def cut_off(
    stores: Stores, before: Snapshot, fault: Fault, request: Callable[[Scene], Answer]
) -> Iterator[Scene]:
    """Send a request once for each of its steps, cut off there."""
    stores.restore(before)
    whole = Scene(stores)
    request(whole)
    for step in range(len(whole.wire.names)):
        stores.restore(before)
        scene = Scene(stores)
        scene.wire.arm(step, fault)
        with contextlib.suppress(Crash):
            request(scene)
        scene.wire.disarm()
        yield scene


@each_fault
def test_a_new_waitlist_takes_signups_or_does_not_exist(stores: Stores, fault: Fault) -> None:
    """P3, P7: an operator gives up; whoever is acknowledged then stays in line."""
    for scene in cut_off(stores, stores.snapshot(), fault, lambda scene: scene.people.configure()):
        answer = scene.people.sign_up("ann", key="ann")
        if answer.code == "waitlist_not_found":
            continue
        assert answer.status == 201
        scene.world.maintain()
        assert scene.order() == ["ann"]
        assert not list(scene.contradictions())


@each_fault
def test_a_new_waitlist_is_made_by_the_same_request_again(stores: Stores, fault: Fault) -> None:
    """P2."""
    for scene in cut_off(stores, stores.snapshot(), fault, lambda scene: scene.people.configure()):
        assert scene.people.configure().status in (200, 201)
        scene.world.maintain()
        scene.people.all_sign_up(*LINE)
        assert scene.order() == list(LINE)


@each_fault
def test_new_settings_are_told_to_redis_by_maintenance(scene: Scene, fault: Fault) -> None:
    """P3: what GET shows is what signups meet, also if the operator gives up."""
    line(scene)
    assert scene.people.configure(open=False).status == 200
    before = scene.stores.snapshot()
    path = scene.people.admin_path
    for struck in cut_off(
        scene.stores, before, fault, lambda one: one.people.configure(capacity=5)
    ):
        struck.world.maintain()
        struck.world.maintain()
        shown = struck.world.request("GET", path, operator=True).json
        expected = ["ann", "bob", "cyd", "dan"]
        if shown["open"]:
            assert struck.people.sign_up("eve", key="eve").status == 201
            assert struck.people.sign_up("fay", key="fay").code == "waitlist_full"
            expected.append("eve")
        else:
            assert struck.people.sign_up("eve", key="eve").code == "waitlist_closed"
        assert struck.order() == expected


def test_old_settings_do_not_come_back(scene: Scene) -> None:
    """P2: a request that is late by one meets newer settings and leaves them."""
    line(scene)
    other = Scene(scene.stores).people
    scene.wire.arm(2, faults.before(lambda: other.configure(capacity=4)))
    assert scene.people.configure(capacity=5).status == 200
    assert scene.people.sign_up("eve", key="eve").code == "waitlist_full"
