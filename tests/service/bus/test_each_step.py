"""A change that is cut off at any step is published once if it takes effect, else never."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import pytest

from tests.service.bus.scene import LEASE_SECONDS, Scene
from tests.service.bus.stories import is_admitted, is_offered, is_parked_and_redriven, signs_up
from tests.support import faults
from tests.support.faults import Crash, Fault
from tests.support.gateway import Answer

KEY = "the-request"
STEPS = 30


@dataclass(frozen=True)
class Operation:
    """An operation, and the events of Ada that the bus has after it and not before."""

    name: str
    prepare: Callable[[Scene], None]
    request: Callable[[Scene], Answer]
    events: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


def nobody(scene: Scene) -> None:
    scene.desk.all_sign_up("bob")


def has_left(scene: Scene) -> None:
    signs_up(scene)
    assert scene.desk.leave("ada").status == 204


def is_parked(scene: Scene) -> None:
    is_offered(scene)
    assert scene.desk.park("ada").status == 200


def is_held_no_longer(scene: Scene) -> None:
    is_offered(scene)
    scene.world.advance(LEASE_SECONDS)


OPERATIONS = (
    Operation("signup", nobody, lambda scene: scene.desk.sign_up("ada", key=KEY), ("joined",)),
    Operation("rejoin", has_left, lambda scene: scene.desk.sign_up("ada", key=KEY), ("joined",)),
    Operation("leave", signs_up, lambda scene: scene.desk.leave("ada"), ("left",)),
    Operation("remove", signs_up, lambda scene: scene.desk.remove("ada"), ("left",)),
    Operation("bump", signs_up, lambda scene: scene.desk.bump("ada", KEY, to="front"), ("bumped",)),
    Operation("claim", signs_up, lambda scene: scene.desk.claim(2, KEY), ("offered",)),
    Operation(
        "claim of whose hold has ended",
        is_held_no_longer,
        lambda scene: scene.desk.claim(1, KEY),
        ("expired", "offered"),
    ),
    Operation(
        "claim with complete",
        signs_up,
        lambda scene: scene.desk.claim(2, KEY, complete=True),
        ("admitted",),
    ),
    Operation("complete", is_offered, lambda scene: scene.desk.complete("ada"), ("admitted",)),
    Operation("release", is_offered, lambda scene: scene.desk.release("ada"), ("released",)),
    Operation("park", is_offered, lambda scene: scene.desk.park("ada"), ("parked",)),
    Operation("redrive", is_parked, lambda scene: scene.desk.redrive("ada"), ("redriven",)),
    Operation("extend", is_offered, lambda scene: scene.desk.extend("ada"), ()),
    Operation(
        "edit", signs_up, lambda scene: scene.desk.edit("ada", attributes={"floor": "2"}), ()
    ),
    Operation("erase", signs_up, lambda scene: scene.desk.erase("ada"), ("erased",)),
    Operation(
        "erase of one admitted", is_admitted, lambda scene: scene.desk.erase("ada"), ("erased",)
    ),
    Operation(
        "erase of one in line again",
        is_parked_and_redriven,
        lambda scene: scene.desk.erase("ada"),
        ("erased",),
    ),
)
FAULTS: dict[str, Fault] = {
    "crash": faults.crash_after,
    "delivered twice": faults.delivered_twice,
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_a_retried_change_is_told_of_once(operation: Operation, fault: str) -> None:
    """P2: the client repeats what it got no answer to, whatever had been done."""
    for step in range(STEPS):
        scene, before, is_struck = struck(operation, step, FAULTS[fault])
        answer = operation.request(scene)
        assert answer.status < 300, (step, answer)
        # Which records what was decided and not recorded, and takes erasures to their end.
        scene.maintain()
        sent = scene.words("ada")[before:]
        assert sent == list(operation.events), (step, sent)
        assert scene.contradictions() == [], step
        if not is_struck:
            return
    raise AssertionError("it has more steps than that")


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_of_a_change_that_is_given_up_the_bus_is_told_as_much_as_the_record(
    operation: Operation,
) -> None:
    """P3: maintenance finishes the change or it has no effect; holds expire until then."""
    for step in range(STEPS):
        scene, before, is_struck = struck(operation, step, faults.crash_after)
        scene.world.advance(2 * LEASE_SECONDS)
        scene.maintain()
        sent = scene.words("ada")[before:]
        assert scene.contradictions() == [], step
        if operation.events == ("erased",) and sent:
            assert sent == ["erased"], (step, sent)
            assert scene.desk.status("ada") == "entry_not_found"
        if not is_struck:
            assert sent[: len(operation.events)] == list(operation.events)
            return
    raise AssertionError("it has more steps than that")


def struck(operation: Operation, step: int, fault: Fault) -> tuple[Scene, int, bool]:
    """Have a fault strike a step; return how many events were before, and if there is a step."""
    scene = Scene()
    operation.prepare(scene)
    before = len(scene.details("ada"))
    scene.wire.arm(step, fault)
    with suppress(Crash):
        operation.request(scene)
    is_struck = len(scene.wire.calls) > step
    scene.wire.disarm()
    return scene, before, is_struck
