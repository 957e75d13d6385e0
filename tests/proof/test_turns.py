"""Two processes are interleaved in every order that can make a difference, each once."""

from collections.abc import Callable
from math import comb
from typing import Any

import pytest

from proof.turns import Trace, take_turns
from tests.support.faults import Call, Wire

Work = Callable[[Wire], None]


def works(first: list[str], second: list[str], made: list[str]) -> tuple[Work, Work]:
    """Return two processes that get (in small letters) and put items of a table."""

    def work(own: str, keys: list[str]) -> Work:
        def steps(wire: Wire) -> None:
            wire.disarm()
            for key in keys:
                name = "GetItem" if key.islower() else "PutItem"
                item: dict[str, Any] = {"pk": {"S": key.lower()}}
                wire.carry(Call(name, {"Key": item}, lambda: made.append(own)))

        return steps

    return work("A", first), work("B", second)


def all_traces(first: list[str], second: list[str]) -> list[Trace]:
    found, open_ = [], [""]
    while open_:
        made: list[str] = []
        trace = take_turns(works(first, second, made), open_.pop())
        assert "".join(made) == trace.schedule
        open_ += trace.branches
        found.append(trace)
    return [trace for trace in found if not trace.is_repeat]


@pytest.mark.parametrize(("first", "second"), [("XX", "XX"), ("XXX", "XX"), ("X", "XXXX")])
def test_steps_that_meet_are_made_in_every_order(first: str, second: str) -> None:
    schedules = [trace.schedule for trace in all_traces(list(first), list(second))]
    assert len(set(schedules)) == len(schedules) == comb(len(first + second), len(first))


@pytest.mark.parametrize(("first", "second"), [("XX", "YY"), ("xxx", "xx")])
def test_steps_that_do_not_meet_are_made_in_one_order(first: str, second: str) -> None:
    assert len(all_traces(list(first), list(second))) == 1


def test_a_schedule_is_followed() -> None:
    made: list[str] = []
    assert take_turns(works(["X", "X"], ["X", "X"], made), "BABA").schedule == "BABA"
