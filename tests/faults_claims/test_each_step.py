"""Each operation on claims is struck at each of its steps; then somebody puts it right."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.faults_claims.operations import OPERATIONS, Operation
from tests.faults_claims.scene import PEOPLE, Moment, Scene
from tests.support import faults
from tests.support.faults import Crash, Fault
from tests.support.gateway import Answer

Strike = Callable[[Scene], Fault]
# Each leaves the request unanswered or without effect: the client may retry or give up.
GRAVE: dict[str, Strike] = {
    "crash before": lambda _: faults.crash_before,
    "crash after": lambda _: faults.crash_after,
    "time-out with effect": lambda _: faults.unheard,
    "Redis lost before": lambda scene: faults.before(scene.flush),
    "Redis lost after": lambda scene: faults.after(scene.flush),
    "Redis lost and rebuilt before": lambda scene: faults.before(scene.rebuild_elsewhere),
    "overtaken by maintenance": lambda scene: faults.before(scene.maintain_elsewhere),
}
# Given up, each is as a crash before the step: the client retries.
LIGHT: dict[str, Strike] = {
    "time-out without effect": lambda _: faults.lost,
    "delivered twice": lambda _: faults.delivered_twice,
    "throttled": lambda _: faults.throttled,
    "conflict": lambda _: faults.in_conflict,
    "function failed": lambda _: faults.function_failed,
}
PASSING = (429, 503)
TRIES = 6
REDIS_DECIDES = (
    *("claim", "release", "extend", "park", "redrive", "bump"),
    "the minute, worn out",
)
RETRIES, GIVES_UP = "retries", "gives up"


@dataclass
class Case:
    """One operation, struck once."""

    scene: Scene
    operation: Operation
    answer: Answer | None = None

    @property
    def is_acknowledged(self) -> bool:
        return self.answer is not None and self.answer.status < 300

    @property
    def is_refused(self) -> bool:
        """Whether the answer is the refusal that the operation allows for."""
        code = self.operation.may_be_refused
        return self.answer is not None and code != "" and self.answer.code == code

    def attempt(self) -> None:
        """Send the request; there is no answer from a process that dies."""
        try:
            self.answer = self.operation.request(self.scene)
        except Crash:
            self.answer = None
        self.scene.wire.disarm()

    def retry(self) -> None:
        """Repeat the same request until an answer is final."""
        for _ in range(TRIES):
            if self.answer is not None and self.answer.status not in PASSING:
                return
            self.scene.warm()
            self.attempt()

    def problems(self, must_be_done: bool) -> Iterator[str]:
        """Yield what contradicts the promises."""
        if must_be_done and not (self.is_acknowledged or self.is_refused):
            yield f"the last answer is {self.answer}"
        if self.answer is not None and self.answer.status == 500:
            yield f"a defect was met: {self.answer.text}"
        if self.is_acknowledged and self.answer is not None:
            self.scene.warm()
            yield from self.operation.holds(self.scene, self.answer)
        self.scene.settle_down()
        ending = self.scene.ending()
        if not self.operation.may_end(ending, self.is_acknowledged):
            yield f"the end is {ending!r} after the answer {self.answer}"
        yield from self.scene.contradictions()

    def heals(self) -> Iterator[str]:
        """Yield what is still wrong when everybody has been redriven, claimed, and let go."""
        self.scene.settle_down()
        for name in PEOPLE:
            self.scene.desk.redrive(name)
        assert self.scene.desk.claim(len(PEOPLE)).status == 200
        self.scene.settle_down()
        yield from self.scene.contradictions()


def is_gap(operation: Operation, step: int, fault: str) -> bool:
    """Redis was lost and wholly rebuilt between a decision and its record.

    The rebuild does not know the decision, so that its record holds from the next claim, or
    the next rebuild, on. Those that the record decides, or that look again, have no such gap.
    """
    return (
        operation.name.startswith(REDIS_DECIDES)
        and step > 0
        and fault == "Redis lost and rebuilt before"
    )


def prepared(scene: Scene, operation: Operation) -> tuple[Moment, list[str]]:
    """Return what stands before an operation, and its steps where nothing goes wrong."""
    operation.prepare(scene)
    moment = scene.moment()
    scene.go_back_to(moment)
    operation.request(scene)
    return moment, scene.wire.names


@pytest.mark.parametrize("fault", GRAVE | LIGHT)
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_a_struck_operation_is_whole_in_the_end(
    scene: Scene, operation: Operation, fault: str
) -> None:
    """P1, P2, P3, P4, P6: at each step, whether the client retries or gives up."""
    moment, steps = prepared(scene, operation)
    follow_ups = (RETRIES, GIVES_UP) if fault in GRAVE else (RETRIES,)
    failures = []
    for step, name in enumerate(steps):
        for follow_up in follow_ups:
            scene.go_back_to(moment)
            case = Case(scene, operation)
            scene.wire.arm(step, (GRAVE | LIGHT)[fault](scene))
            case.attempt()
            if follow_up == RETRIES:
                case.retry()
            if is_gap(operation, step, fault):
                problems = case.heals()
            else:
                problems = case.problems(must_be_done=follow_up == RETRIES)
            failures += [
                f"{operation}, step {step} {name}, {fault}, {follow_up}: {problem}"
                for problem in problems
            ]
    assert not failures, "\n".join(["", *failures])
