"""The faults that the model checker injects.

Some make a step fail, and others are events between two steps, such as Redis losing its data.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tests.reliability.model.testbed import Testbed
from tests.support import faults
from tests.support.faults import Call, Fault, Wire

MOST_BEHIND = 5
EnvironmentEvent = Callable[[Testbed], object]


@dataclass(frozen=True)
class Kind:
    """A kind of fault.

    `arm` injects the fault at a given step of a process. `is_between` marks an event between two
    steps, which may also come after the last step. `happen` makes this event happen at once.
    `keeps_past` marks a fault that needs former states of Redis. `is_unseen` marks a fault that
    only maintenance can notice. To keep the number of cases small, such a fault is injected only
    before and after an operation.
    """

    name: str
    arm: Callable[[Testbed, Wire, int], None]
    happen: Callable[[Testbed], object] = lambda _testbed: None
    is_between: bool = False
    keeps_past: bool = False
    is_unseen: bool = False

    @property
    def loses_redis(self) -> bool:
        return "Redis" in self.name or self.name.startswith("rebuilt")

    def steps(self, steps: int) -> Sequence[int]:
        """An event between two steps can also come after the last step."""
        if self.is_unseen:
            return 0, steps
        return range(steps + 1) if self.is_between else range(steps)


def _strikes(name: str, fault: Fault) -> Kind:
    return Kind(name, lambda _testbed, wire, step: wire.arm(step, fault))


def _strikes_on(name: str, fault: Fault, alike: Callable[[Call], bool]) -> Kind:
    """Return a lasting fault. Once it has happened, all later calls to the same AWS service or
    database fail too.
    """

    def arm(_testbed: Testbed, wire: Wire, step: int) -> None:
        def on(call: Call) -> object:
            return fault(call) if alike(call) == is_invoke[0] else call.make()

        def first(call: Call) -> object:
            is_invoke[0] = alike(call)
            return fault(call)

        is_invoke = [False]
        wire.arm(step, first)
        for later in range(step + 1, step + MOST_STEPS):
            wire.also(later, on)

    return Kind(name, arm)


def _happens(name: str, event: EnvironmentEvent, *, keeps_past: bool = False) -> Kind:
    def arm(testbed: Testbed, wire: Wire, step: int) -> None:
        # The event is injected after the previous step, because this step may not exist. Step 0
        # always exists and has no previous step.
        when = faults.before if step == 0 else faults.after
        wire.arm(max(0, step - 1), when(lambda: event(testbed)))

    return Kind(name, arm, event, is_between=True, keeps_past=keeps_past)


def _behind(kind: str, writes: int, event: EnvironmentEvent, *, keeps_past: bool = False) -> Kind:
    return _happens(f"{kind} {writes} behind", event, keeps_past=keeps_past)


def _lose_then_time_out(testbed: Testbed, wire: Wire, step: int) -> None:
    wire.arm(step, faults.unheard_and(testbed.lose_redis))


def _go_back(writes: int) -> EnvironmentEvent:
    return lambda testbed: testbed.redis.go_back(writes)


def _lose(writes: int) -> EnvironmentEvent:
    return lambda testbed: testbed.lose_writes(writes)


def _fall_behind(writes: int) -> EnvironmentEvent:
    return lambda testbed: testbed.table.fall_behind(writes)


def _rebuild_late(writes: int, *, throughout: bool) -> EnvironmentEvent:
    return lambda testbed: testbed.rebuild_from_late_index(writes, throughout=throughout)


MOST_STEPS = 100
INDEX_BEHIND = range(1, 4)
KINDS: tuple[Kind, ...] = (
    _strikes("crash before", faults.crash_before),
    _strikes("crash after", faults.crash_after),
    _strikes("time-out with effect", faults.unheard),
    _strikes("time-out without effect", faults.lost),
    _strikes("throttled once", faults.throttled),
    _strikes_on("throttled", faults.throttled, lambda call: call.is_invoke),
    _strikes("delivered twice", faults.delivered_twice),
    _strikes("conflict", faults.in_conflict),
    _strikes("function failed", faults.function_failed),
    Kind("time-out with effect, Redis lost", _lose_then_time_out),
    _happens("maintenance", Testbed.maintain),
    _happens("Redis lost", Testbed.lose_redis),
    _happens("Redis lost and rebuilt", Testbed.lose_and_rebuild),
    _happens("Redis lost, maintenance", Testbed.lose_and_maintain),
    *(
        _behind("Redis", writes, _go_back(writes), keeps_past=True)
        for writes in range(1, MOST_BEHIND + 1)
    ),
    *(
        replace(_behind("Redis, unseen,", writes, _lose(writes), keeps_past=True), is_unseen=True)
        for writes in range(1, MOST_BEHIND + 1)
    ),
    *(_behind("index", writes, _fall_behind(writes)) for writes in INDEX_BEHIND),
    *(
        _behind("rebuilt from an index", writes, _rebuild_late(writes, throughout=False))
        for writes in INDEX_BEHIND
    ),
    *(
        _behind("rebuilt throughout from an index", writes, _rebuild_late(writes, throughout=True))
        for writes in INDEX_BEHIND
    ),
)
BY_NAME = {kind.name: kind for kind in KINDS}
