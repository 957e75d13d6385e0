import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.unit.tools.fakes import BusyFunction, FailingFunction, FakeFunction
from tools.local.function import Invocable
from tools.local.schedule import INTERVAL_SECONDS, MinuteSchedule, scheduled_event

NOW = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
EVENTS = Path(__file__).parents[3] / "events"


def run(function: Invocable, minutes: int) -> list[float]:
    """Run the schedule for a few minutes without real waiting. Return the length of each wait in
    seconds.
    """
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return len(waits) > minutes

    schedule = MinuteSchedule(function, utc_now=lambda: NOW, wait=wait)
    schedule.start()
    schedule.stop(30)
    return waits


def test_the_function_is_called_each_minute_and_not_at_the_start() -> None:
    function = FakeFunction()
    assert run(function, 2) == [INTERVAL_SECONDS] * 3
    assert len(function.events) == 2


def test_the_event_has_the_shape_of_the_example() -> None:
    example = json.loads((EVENTS / "maintenance" / "schedule.json").read_text())
    event = scheduled_event(NOW)
    assert event.keys() == example.keys()
    same = event.keys() - {"id", "resources"}
    assert {key: event[key] for key in same} == {key: example[key] for key in same}


@pytest.mark.parametrize("function", [FailingFunction(), BusyFunction()])
def test_a_failed_run_is_logged_and_the_schedule_continues(
    function: Invocable, caplog: pytest.LogCaptureFixture
) -> None:
    run(function, 2)
    assert len(caplog.records) == 2
