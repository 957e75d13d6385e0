"""Runs two processes step by step, in one given order or in every possible order.

To try a different order, the scheduler restores an earlier state of the stores, and both processes
receive the same answers again.
"""

import io
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count, pairwise
from typing import Any, Generic, Protocol, TypeVar

from tests.reliability.model.chance import SOURCE
from tests.reliability.model.effects import Effects, effects_of
from tests.reliability.model.sameness import Text
from tests.support.faults import Call, Crash, Wire

STUCK_SECONDS = 60
NAMES = "AB"
S = TypeVar("S")
Work = Callable[["HaltingWire"], Any]


class World(Protocol[S]):
    """The stores and clocks that both processes share, and their state at the start."""

    @property
    def time(self) -> Any: ...

    def set_time(self, time: Any) -> None: ...

    def begin(self) -> None: ...

    def step_state(self) -> S: ...

    def put(self, step_state: S) -> None: ...

    def text(self, value: Any) -> Text: ...

    def digest(self, more: list[Text]) -> bytes: ...


@dataclass(frozen=True)
class Step:
    """The result of a call to AWS."""

    answer: Any
    error: Exception | None
    # The time after the call.
    time: Any
    # The number of random values used so far.
    drawn: int
    heard: Text

    def hear(self) -> Any:
        if self.error is not None:
            raise self.error
        if isinstance(self.answer, dict) and isinstance(self.answer.get("Payload"), bytes):
            return {**self.answer, "Payload": io.BytesIO(self.answer["Payload"])}
        return self.answer


class Process(threading.Thread):
    """A process that waits before each call to AWS until the scheduler lets it continue.

    `made` contains the results of earlier calls, which the process receives again.
    """

    def __init__(
        self,
        name: str,
        work: Work,
        world: World[Any],
        made: tuple[Step, ...],
    ) -> None:
        super().__init__(daemon=True, name=name)
        self.world = world
        self.made = list(made)
        self.to_hear = deque(made)
        self.step: Effects | None = None
        self.readings: list[tuple[int, int]] = []
        self.outcome: Any = None
        self._work = work
        self._may_go = threading.Semaphore(0)
        self._has_halted = threading.Semaphore(0)
        self._is_stopped = False

    def run(self) -> None:
        SOURCE.name = self.name
        with suppress(Crash):
            self.outcome = self._work(HaltingWire(self))
        self.step = None
        self._has_halted.release()

    def halt(self, call: Call) -> None:
        self.step = effects_of(call)
        self._has_halted.release()
        assert self._may_go.acquire(timeout=STUCK_SECONDS)
        if self._is_stopped:
            raise Crash

    def begin(self) -> None:
        self.start()
        self._await_halt()

    def go(self) -> None:
        self._may_go.release()
        self._await_halt()

    def stop(self) -> None:
        if self.step is not None:
            self._is_stopped = True
            self.go()
        self.join()

    def local(self) -> Iterator[Text]:
        if self.step is None:
            yield self.world.text(f"ended: {self.outcome}")
        else:
            yield from (step.heard for step in self.made)
            yield self.world.text(self.readings)

    def _await_halt(self) -> None:
        assert self._has_halted.acquire(timeout=STUCK_SECONDS)


class HaltingWire(Wire):
    def __init__(self, turn: Process) -> None:
        super().__init__()
        self._turn = turn
        self._is_armed = False

    def disarm(self) -> None:
        """From now on, wait for the scheduler before each call. Earlier calls only prepare the
        process.
        """
        self._is_armed = True

    def watched(self, now_millis: Callable[[], int]) -> Callable[[], int]:
        def now() -> int:
            millis = now_millis()
            if self._is_armed:
                readings = self._turn.readings
                if not readings or readings[-1][1] != millis:
                    readings.append((len(self.calls), millis))
            return millis

        return now

    def carry(self, call: Call) -> object:
        if not self._is_armed:
            return call.make()
        if self.is_dead:
            raise Crash
        self.calls.append(call)
        turn = self._turn
        if turn.to_hear:
            step = turn.to_hear.popleft()
            turn.world.set_time(step.time)
            SOURCE.drawn = step.drawn
            return step.hear()
        try:
            turn.halt(call)
        except Crash:
            self.is_dead = True
            raise
        turn.made.append(_made(call, turn.world))
        return turn.made[-1].hear()


def _made(call: Call, world: World[Any]) -> Step:
    answer, error = None, None
    try:
        answer = call.make()
        if isinstance(answer, dict) and hasattr(answer.get("Payload"), "read"):
            answer = {**answer, "Payload": answer["Payload"].read()}
    except Exception as found:  # noqa: BLE001 -- the process gets every error, also in a replay
        error = found
    heard = world.text((answer, error, getattr(error, "response", None)))
    return Step(answer, error, world.time, SOURCE.drawn, heard)


@dataclass(frozen=True)
class Branch(Generic[S]):
    """An unfinished run, which the scheduler can continue."""

    # The names of the processes, in the order of their steps.
    schedule: str = ""
    last: tuple[str, Effects] | None = None
    # The process that takes the next step.
    name: str = ""
    made: tuple[tuple[Step, ...], ...] = ((), ())
    step_state: S | None = None


class Scheduler(Generic[S]):
    """Runs two processes in every order of their steps.

    If `is_reduced` is true, the scheduler skips orders that lead to a known state. `most_changes`
    limits how often it switches between the processes.
    """

    is_reduced = True

    def __init__(
        self, world: World[S], works: tuple[Work, Work], most_changes: int | None = None
    ) -> None:
        self._world, self._works, self._most_changes = world, works, most_changes
        self._seen: set[tuple[bytes, bool]] = set()
        # The fewest switches with which a run has reached each state. The inner keys say which
        # process took the last step.
        self._fewest: dict[bytes, dict[tuple[str, bool], int]] = {}
        self._open: list[tuple[int, int, Branch[S]]] = []
        self._numbers = count()

    def follow(self, schedule: str) -> str:
        """Run the steps of the schedule. After the last step, process A runs to its end, and then
        process B.
        """
        turns = self._begun(Branch())
        made = ""
        while able := _able(turns):
            made += schedule[len(made)] if len(made) < len(schedule) else able[0]
            turns[NAMES.index(made[-1])].go()
        return made

    def ends(self) -> Iterator[str]:
        self._seen.clear()
        self._fewest.clear()
        self._push(Branch())
        while self._open:
            branch = heappop(self._open)[-1]
            turns = self._begun(branch)
            schedule = self._followed(branch, turns)
            for turn in turns:
                turn.stop()
            if schedule is not None:
                yield schedule

    def _push(self, branch: Branch[S]) -> None:
        """Store an unfinished run. The newest run is continued first, unless the number of switches
        is limited. In that case, the run with the fewest switches is continued first.
        """
        changes = 0 if self._most_changes is None else _changes(branch.schedule + branch.name)
        heappush(self._open, (changes, -next(self._numbers), branch))

    def _begun(self, branch: Branch[S]) -> list[Process]:
        self._world.begin()
        scenario = self._world.time
        turns = []
        for name, work, made in zip(NAMES, self._works, branch.made, strict=True):
            # Start each process again at the scenario's time. For the steps that it has already
            # taken in this branch, it receives the recorded responses.
            self._world.set_time(scenario)
            turns.append(Process(name, work, self._world, made))
            turns[-1].begin()
        if branch.step_state is not None:
            self._world.put(branch.step_state)
        return turns

    def _followed(self, branch: Branch[S], turns: list[Process]) -> str | None:
        schedule, last, name = branch.schedule, branch.last, branch.name
        while True:
            if not name:
                able = _able(turns)
                awake = [each for each in able if not self._is_repeat(last, turns, each)]
                if self._is_known(turns, schedule, able, is_one_asleep=awake != able):
                    return None
                names = self._allowed(schedule, able, awake)
                if not names:
                    return None if able else schedule
                name, *others = names
                step_state = self._world.step_state() if others else None
                made = tuple(tuple(turn.made) for turn in turns)
                for other in others:
                    self._push(Branch(schedule, last, other, made, step_state))
            turn = turns[NAMES.index(name)]
            assert turn.step is not None
            last = self._last(schedule, last, name, turn.step)
            schedule += name
            turn.go()
            name = ""

    def _allowed(self, schedule: str, able: list[str], awake: list[str]) -> list[str]:
        """Return the processes that may take the next step, in the order in which to try them.

        If switches between the processes are limited, the process that took the last step comes
        first.
        """
        if self._most_changes is None:
            return awake
        now = schedule[-1:]
        if now in able and _changes(schedule) >= self._most_changes:
            return [now]
        return sorted(awake, key=lambda name: name != now)

    def _last(
        self, schedule: str, last: tuple[str, Effects] | None, name: str, step: Effects
    ) -> tuple[str, Effects] | None:
        """Return the process that took the last step, and the data that it has read and written.

        If switches between the processes are limited, this includes all data since the last switch.
        """
        if self._most_changes is None:
            return name, step
        if last is not None and last[0] == name:
            return name, last[1] | step
        return (name, step) if schedule.strip(name) else None

    def _is_repeat(self, last: tuple[str, Effects] | None, turns: list[Process], name: str) -> bool:
        """Decide whether the next step would lead to an order that need not be tested.

        If two steps do not conflict, their order does not matter, and only the order in which
        process A comes first is tested.
        """
        step = turns[NAMES.index(name)].step
        if not self.is_reduced or last is None or step is None or last[0] == name:
            return False
        if self._most_changes is None and name != "A":
            return False
        return not last[1].conflicts_with(step)

    def _is_known(
        self, turns: list[Process], schedule: str, able: list[str], *, is_one_asleep: bool
    ) -> bool:
        if not self.is_reduced:
            return False
        here = self._world.digest([text for turn in turns for text in turn.local()])
        if self._most_changes is not None:
            return self._had_as_much_left(here, schedule, able, is_one_asleep=is_one_asleep)
        if (here, False) in self._seen or (here, is_one_asleep) in self._seen:
            return True
        self._seen.add((here, is_one_asleep))
        return False

    def _had_as_much_left(
        self, here: bytes, schedule: str, able: list[str], *, is_one_asleep: bool
    ) -> bool:
        """Decide whether an earlier run has reached the same state with at least as many switches
        left.
        """
        is_free = len(able) < len(NAMES)
        name, changes = ("", 0) if is_free else (schedule[-1:], _changes(schedule))
        before = self._fewest.setdefault(here, {})
        for (other, was_one_asleep), fewest in before.items():
            if was_one_asleep and not (is_one_asleep and other == name):
                continue
            if fewest + (other != name) <= changes:
                return True
        before[name, is_one_asleep] = changes
        return False


def _changes(schedule: str) -> int:
    return sum(one != other for one, other in pairwise(schedule))


def _able(turns: list[Process]) -> list[str]:
    return [name for name, turn in zip(NAMES, turns, strict=True) if turn.step]
