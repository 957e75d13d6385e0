"""Each operation is struck at each of its steps by each fault; then somebody puts it right."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.reliability.faults.operations import (
    OPERATIONS,
    WITH_EVE,
    Operation,
    erase,
    line_with_eve,
)
from tests.reliability.faults.scene import Scene, Stores
from tests.support import faults
from tests.support.faults import Crash, Fault
from tests.support.gateway import Answer
from tests.support.snapshot import Snapshot

Strike = Callable[[Scene], Fault]
# Each leaves the request unanswered or without effect: the client may retry or give up.
GRAVE: dict[str, Strike] = {
    "crash before": lambda _: faults.crash_before,
    "crash after": lambda _: faults.crash_after,
    "time-out with effect": lambda _: faults.unheard,
    "time-out with effect, Redis lost": lambda scene: faults.unheard_and(scene.flush),
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
RETRIES, GIVES_UP = "retries", "gives up"


@dataclass
class Case:
    """One operation, struck once."""

    scene: Scene
    operation: Operation
    answer: Answer | None = None

    @property
    def is_acknowledged(self) -> bool:
        return self.answer is not None and self.answer.status in self.operation.statuses

    @property
    def is_refused(self) -> bool:
        return self.answer is not None and not self.is_acknowledged

    def attempt(self) -> None:
        """Send the request; there is no answer from a process that dies."""
        try:
            self.answer = self.operation.request(self.scene)
        except Crash:
            self.answer = None
        self.scene.wire.disarm()

    def give_up(self) -> None:
        """Leave it to maintenance, which may need a second run after a rebuild."""
        self.scene.world.maintain()
        self.scene.world.maintain()

    def problems(self, must_be_done: bool) -> Iterator[str]:
        """Yield what contradicts the promises."""
        if must_be_done and not self.is_acknowledged:
            yield f"the last answer is {self.answer}"
        orders = [self.operation.done]
        if not self.is_acknowledged:
            orders.append(self.operation.undone)
            if self.operation.name.startswith("bump"):
                # A move that nobody was told of may be lost with Redis, as a whole.
                self.scene.flush()
                self.scene.world.maintain()
        order = tuple(self.scene.order())
        if order not in orders:
            yield f"the order is {order}"
        if self.is_acknowledged and self.operation.events not in (
            None,
            self.scene.people.events("eve"),
        ):
            yield f"the history is {self.scene.people.events('eve')}"
        yield from self.scene.contradictions()
        if self.is_acknowledged and self.operation.request is erase:
            yield from self._traces()

    def _traces(self) -> Iterator[str]:
        """Yield what is left of an erased person, at once and after maintenance (P8)."""
        record = self.scene.records().get("eve", {})
        if set(record) & {"customer_id", "profile", "attributes", "signup_key"}:
            yield f"the record is {record}"
        self.scene.world.maintain()
        if traces := self.scene.traces("eve"):
            yield f"there are left {traces}"

    def retry(self) -> None:
        """Repeat the same request until an answer is final."""
        for _ in range(TRIES):
            if self.answer is not None and self.answer.status not in PASSING:
                break
            if self.answer is not None and self.answer.code == "rebuilding":
                self.scene.world.maintain()
            self.attempt()
        if self.scene.is_cold():
            self.scene.world.maintain()


PREPARED: dict[str, tuple[Snapshot, list[str]]] = {}


@dataclass(frozen=True)
class Trial:
    """One operation before it begins, and its steps where nothing goes wrong."""

    stores: Stores
    operation: Operation
    before: Snapshot
    steps: list[str]

    @classmethod
    def of(cls, stores: Stores, operation: Operation) -> "Trial":
        if operation.name not in PREPARED:
            PREPARED[operation.name] = cls._prepared(stores, operation)
        return cls(stores, operation, *PREPARED[operation.name])

    @staticmethod
    def _prepared(stores: Stores, operation: Operation) -> tuple[Snapshot, list[str]]:
        scene = Scene(stores)
        assert scene.people.configure().status == 201
        operation.prepare(scene)
        before = stores.snapshot()
        scene.warm_up()
        operation.request(scene)
        return before, scene.wire.names

    def struck(self, step: int, strike: Strike) -> "Case":
        """Begin anew and send the request, with a fault at one step."""
        self.stores.restore(self.before)
        case = Case(Scene(self.stores), self.operation)
        case.scene.warm_up()
        case.scene.wire.arm(step, strike(case.scene))
        case.attempt()
        return case


def is_known_gap(operation: Operation, step: str, fault: str) -> bool:
    """A whole rebuild between a move and its record does not know the move (see below)."""
    is_record_of_move = operation.name.startswith("bump") and step == "TransactWriteItems"
    return is_record_of_move and fault == "Redis lost and rebuilt before"


def report(trial: Trial, fault: str, strike: Strike, *follow_ups: str) -> str:
    """Return a line for each thing that is wrong after a fault at any step."""
    wrong: list[str] = []
    for step, name in enumerate(trial.steps):
        if is_known_gap(trial.operation, name, fault):
            continue
        for follow_up in follow_ups:
            case = trial.struck(step, strike)
            case.retry() if follow_up == RETRIES else case.give_up()
            heading = f"{trial.operation}, step {step} {name}, {fault}, client {follow_up}: "
            wrong += [heading + one for one in case.problems(follow_up == RETRIES)]
    return "\n".join(wrong)


@pytest.mark.parametrize("fault", GRAVE)
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_a_cut_off_operation_is_whole_in_the_end(
    stores: Stores, operation: Operation, fault: str
) -> None:
    """P1, P2, P3, P6, P7: at each step, whether the client retries or gives up."""
    trial = Trial.of(stores, operation)
    wrong = report(trial, fault, GRAVE[fault], RETRIES, GIVES_UP)
    assert not wrong, wrong


@pytest.mark.parametrize("fault", LIGHT)
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_a_refused_or_repeated_call_costs_nobody_a_place(
    stores: Stores, operation: Operation, fault: str
) -> None:
    """P1, P2, P3: at each step, when the client retries."""
    trial = Trial.of(stores, operation)
    wrong = report(trial, fault, LIGHT[fault], RETRIES)
    assert not wrong, wrong


def test_a_move_recorded_after_a_rebuild_holds_from_the_next_one_on(scene: Scene) -> None:
    """P3, as far as it goes: Redis is lost and wholly rebuilt while one record is written."""
    line_with_eve(scene)
    scene.warm_up()
    scene.wire.arm(1, faults.before(scene.rebuild_elsewhere))
    assert scene.people.bump("eve", key="bump", to="front").json["position"] == 1
    assert scene.order() == list(WITH_EVE)
    scene.rebuild_elsewhere()
    assert scene.order() == ["eve", "ann", "bob", "cyd", "dan"]
    assert not list(scene.contradictions())
