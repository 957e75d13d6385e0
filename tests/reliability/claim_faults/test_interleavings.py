"""One process is overtaken by another between what Redis decides and what is recorded of it."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.reliability.claim_faults.beginnings import back_in_line, held, line, parked
from tests.reliability.claim_faults.scene import Scene
from tests.support import faults
from tests.support.admissions import Admissions
from tests.support.gateway import Answer


@dataclass(frozen=True)
class Interleaving:
    """`slow` is halted before one step while `fast` happens; then `code` (or None) is answered.

    `status` and `events` are what is recorded of the person at once, `ending` what becomes of
    everybody when all holds are over.
    """

    name: str
    prepare: Callable[[Scene], None]
    slow: Callable[[Admissions], Answer]
    step: int
    fast: Callable[[Admissions], object]
    code: str | None
    status: str
    ending: str
    events: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


def _taken_up(desk: Admissions) -> None:
    assert desk.claimed() == ["a"]


def _taken_up_and_completed(desk: Admissions) -> None:
    _taken_up(desk)
    assert desk.complete("a").status == 200


INTERLEAVINGS = (
    Interleaving(
        "a release, and the next claim",
        held,
        lambda desk: desk.release("a"),
        1,
        _taken_up,
        None,
        "offered",
        "a1 b c d",
        ("joined", "offered", "released", "offered", "expired"),
    ),
    Interleaving(
        "a release, and the next claimer's complete",
        held,
        lambda desk: desk.release("a"),
        1,
        _taken_up_and_completed,
        None,
        "admitted",
        "b c d; a admitted",
        ("joined", "offered", "released", "offered", "admitted"),
    ),
    Interleaving(
        "a redrive, and the next claim",
        parked,
        lambda desk: desk.redrive("a"),
        1,
        _taken_up,
        None,
        "offered",
        "a1 b c d",
        ("joined", "offered", "parked", "redriven", "offered", "expired"),
    ),
    Interleaving(
        "a park, and its redrive",
        held,
        lambda desk: desk.park("a"),
        1,
        lambda desk: desk.redrive("a"),
        None,
        "waiting",
        "a b c d",
        ("joined", "offered", "parked", "redriven"),
    ),
    Interleaving(
        "a complete, and a leave",
        held,
        lambda desk: desk.complete("a"),
        1,
        lambda desk: desk.leave("a"),
        "not_waiting",
        "left",
        "b c d; a left",
        ("joined", "offered", "left"),
    ),
    Interleaving(
        "a leave, and a complete",
        held,
        lambda desk: desk.leave("a"),
        1,
        lambda desk: desk.complete("a"),
        None,
        "left",
        "b c d; a left",
        ("joined", "offered", "left"),
    ),
    Interleaving(
        "a complete, and its repeat",
        held,
        lambda desk: desk.complete("a"),
        1,
        lambda desk: desk.complete("a"),
        None,
        "admitted",
        "b c d; a admitted",
        ("joined", "offered", "admitted"),
    ),
    Interleaving(
        "an extension, and a complete",
        held,
        lambda desk: desk.extend("a"),
        1,
        lambda desk: desk.complete("a"),
        None,
        "admitted",
        "b c d; a admitted",
        ("joined", "offered", "admitted"),
    ),
    Interleaving(
        "an extension, and a release",
        held,
        lambda desk: desk.extend("a"),
        1,
        lambda desk: desk.release("a"),
        None,
        "waiting",
        "a b c d",
        ("joined", "offered", "released"),
    ),
    Interleaving(
        "a claim, and a leave",
        line,
        lambda desk: desk.claim(1),
        1,
        lambda desk: desk.leave("a"),
        None,
        "left",
        "b c d; a left",
        ("joined", "left"),
    ),
    Interleaving(
        "a claim, and an erasure",
        line,
        lambda desk: desk.claim(1),
        1,
        lambda desk: desk.erase("a"),
        None,
        "leaving",
        "b c d",
        (),
    ),
    Interleaving(
        "a bump of one whose hold is over, and the next claim",
        back_in_line,
        lambda desk: desk.bump("a", to="front"),
        1,
        _taken_up,
        None,
        "offered",
        "a2 b c d",
        ("joined", "offered", "expired", "bumped", "offered", "expired"),
    ),
)


@pytest.mark.parametrize("case", INTERLEAVINGS, ids=str)
def test_a_decision_that_is_overtaken_stands_behind_the_later_one(
    scene: Scene, case: Interleaving
) -> None:
    """P2, P3, P4: the record ends as Redis does, and the history tells both."""
    case.prepare(scene)
    scene.go_back_to(scene.moment())
    elsewhere = scene.desk_elsewhere()
    scene.wire.arm(case.step, faults.before(lambda: case.fast(elsewhere)))
    answer = case.slow(scene.desk)
    scene.wire.disarm()
    assert answer.code == case.code, answer.text
    assert answer.status < 300 or case.code
    assert scene.records()["a"]["status"] == case.status
    scene.settle_down()
    assert scene.ending() == case.ending
    assert list(scene.contradictions()) == []
    told = scene.desk.events("a")
    assert told == list(case.events)


def test_nobody_is_taken_up_twice_while_a_record_is_written(scene: Scene) -> None:
    """P4: the expiry of a hold is being recorded, and the person is claimed and completed."""
    back_in_line(scene)
    scene.world.advance(61)
    moment = scene.moment()
    scene.go_back_to(moment)
    scene.world.services.caretaker.look_after_all()
    write = scene.wire.names.index("TransactWriteItems")
    scene.go_back_to(moment)
    elsewhere = scene.desk_elsewhere()
    scene.wire.arm(write, faults.before(lambda: _taken_up_and_completed(elsewhere)))
    scene.world.services.caretaker.look_after_all()
    scene.wire.disarm()
    assert scene.records()["a"]["status"] == "admitted"
    scene.settle_down()
    assert scene.ending() == "b c d; a admitted"
    assert list(scene.contradictions()) == []
    assert scene.desk.events("a") == ["joined", "offered", "expired", "offered", "admitted"]
