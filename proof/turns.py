"""Two processes that make their steps in turns, one at a time, as a schedule says."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from proof.footprints import Footprint, footprint_of
from tests.support.faults import Call, Wire

STUCK_SECONDS = 60


class _Turn(threading.Thread):
    """One process: it halts before each step, and says when it has ended."""

    def __init__(self, work: Callable[[Wire], None]) -> None:
        super().__init__(daemon=True)
        self._work = work
        self._may_go = threading.Semaphore(0)
        self._has_halted = threading.Semaphore(0)
        self.step: Footprint | None = None

    def run(self) -> None:
        self._work(_HaltingWire(self))
        self.step = None
        self._has_halted.release()

    def halt(self, call: Call) -> None:
        self.step = footprint_of(call)
        self._has_halted.release()
        assert self._may_go.acquire(timeout=STUCK_SECONDS)

    def begin(self) -> None:
        self.start()
        self.await_halt()

    def go(self) -> None:
        """Let it make the step before which it has halted."""
        self._may_go.release()
        self.await_halt()

    def await_halt(self) -> None:
        assert self._has_halted.acquire(timeout=STUCK_SECONDS)


class _HaltingWire(Wire):
    def __init__(self, turn: _Turn) -> None:
        super().__init__()
        self._turn = turn
        self._is_armed = False

    def disarm(self) -> None:
        """Halt from now on: whatever was before made the process ready."""
        self._is_armed = True

    def carry(self, call: Call) -> object:
        if self._is_armed:
            self._turn.halt(call)
        return call.make()


@dataclass
class Trace:
    """What happened: who made each step, and at which of them the other could have gone."""

    schedule: str = ""
    branches: list[str] = field(default_factory=list)
    is_repeat: bool = False


def take_turns(works: tuple[Callable[[Wire], None], ...], schedule: str) -> Trace:
    """Run two processes as scheduled, and on as they come; tell of the schedules branching off.

    Where two neighbouring steps do not meet, only the order in which the first process goes first
    is of interest: `is_repeat` tells a run in the other order.
    """
    turns = [_Turn(work) for work in works]
    for turn in turns:
        turn.begin()
    trace = Trace()
    last: tuple[str, Footprint] | None = None
    while any(turn.step for turn in turns):
        able = [name for name, turn in zip("AB", turns, strict=True) if turn.step]
        new = [name for name in able if not _is_repeat(last, name, turns[0].step)]
        trace.is_repeat |= not new
        name = _next(schedule, trace, new or able)
        step = turns["AB".index(name)].step
        assert step is not None
        last = (name, step)
        trace.schedule += name
        turns["AB".index(name)].go()
    return trace


def _is_repeat(last: tuple[str, Footprint] | None, name: str, step: Footprint | None) -> bool:
    if last is None or step is None or (last[0], name) != ("B", "A"):
        return False
    return not last[1].meets(step)


def _next(schedule: str, trace: Trace, names: list[str]) -> str:
    made = len(trace.schedule)
    if made < len(schedule):
        return schedule[made]
    trace.branches += [trace.schedule + name for name in names[1:]]
    return names[0]
