"""The scheduler runs each order that can make a difference, once."""

from math import comb
from typing import Any

import pytest

from tests.reliability.model.sameness import Text
from tests.reliability.model.scheduler import HaltingWire, Scheduler, Work
from tests.support.faults import Call


class Table:
    """A world of a few items: the puts in their order, and the number of gets of each."""

    def __init__(self) -> None:
        self.puts: list[str] = []
        self.made = ""
        self.time = 0

    def set_time(self, time: Any) -> None:
        self.time = time

    def begin(self) -> None:
        self.put(([], ""))

    def step_state(self) -> tuple[list[str], str]:
        return list(self.puts), self.made

    def put(self, step_state: tuple[list[str], str]) -> None:
        self.puts, self.made = list(step_state[0]), step_state[1]

    def text(self, value: Any) -> Text:
        return Text.of(value, 0)

    def digest(self, more: list[Text]) -> bytes:
        return repr((self.puts, more)).encode()

    def work(self, own: str, keys: list[str]) -> Work:
        """Return a process that gets items (lower case) and puts items (upper case)."""

        def make(key: str) -> list[str]:
            self.made += own
            self.puts += [] if key.islower() else [f"{own} {key}"]
            return [one for one in self.puts if one.endswith(key.upper())]

        def steps(wire: HaltingWire) -> None:
            wire.disarm()
            for key in keys:
                name = "GetItem" if key.islower() else "PutItem"
                item: dict[str, Any] = {"pk": {"S": key.lower()}}
                wire.carry(Call(name, {"Key": item}, lambda key=key: make(key)))  # type: ignore[misc]

        return steps

    def turns(self, first: str, second: str, most_changes: int | None = None) -> Scheduler[Any]:
        works = self.work("A", list(first)), self.work("B", list(second))
        return Scheduler(self, works, most_changes)

    def ends(self, first: str, second: str, most_changes: int | None = None) -> list[str]:
        found = []
        for schedule in self.turns(first, second, most_changes).ends():
            assert self.made == schedule
            found.append(schedule)
        return found


@pytest.mark.parametrize(("first", "second"), [("XX", "XX"), ("XXX", "XX"), ("X", "XXXX")])
def test_steps_that_meet_are_made_in_every_order(first: str, second: str) -> None:
    schedules = Table().ends(first, second)
    assert len(set(schedules)) == len(schedules) == comb(len(first + second), len(first))


@pytest.mark.parametrize(("first", "second"), [("XX", "YY"), ("xxx", "xx")])
def test_steps_that_do_not_meet_are_made_in_one_order(first: str, second: str) -> None:
    assert len(Table().ends(first, second)) == 1


def test_orders_that_leave_the_same_behind_are_one() -> None:
    """Two orders of a read and a write end in the same state, and count as one."""
    assert len(Table().ends("X", "x")) == 1


def test_a_process_takes_over_only_so_often() -> None:
    """When the other process has ended, the first continues."""
    ends = Table().ends("XX", "XX", most_changes=1)
    assert set(ends) == {"AABB", "ABBA", "BAAB", "BBAA"}


def test_all_orders_are_run_where_nothing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scheduler, "is_reduced", False)
    assert len(Table().ends("xx", "YY")) == comb(4, 2)


def test_a_schedule_is_followed() -> None:
    assert Table().turns("XX", "XX").follow("BABA") == "BABA"
