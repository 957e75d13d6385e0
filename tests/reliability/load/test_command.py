"""`make overload` reports in words, JSON and SVG, and by its exit code."""

from dataclasses import replace

import pytest

from tests.reliability.load import __main__ as command
from tests.reliability.load.memory import Sample
from tests.reliability.load.plan import Plan
from tests.reliability.load.problem import Problem
from tests.reliability.load.run import Note, Run
from tests.reliability.load.scenario import a_good_final_state, a_good_scenario


@pytest.fixture
def done() -> Run:
    scenario = a_good_scenario()
    return Run(
        plan=Plan(clients=20),
        history=scenario.history,
        final_state=a_good_final_state(),
        samples=[Sample(at, {"front": 50, "Valkey": 8 + at}, {}) for at in range(40)],
        throttled=[3.0, 4.0, 4.5],
        began=0,
        ended=scenario.now,
        problems=[],
    )


def ran(run: Run, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, Plan]:
    plans: list[Plan] = []

    def fake(plan: Plan, note: Note) -> Run:
        plans.append(plan)
        note("1 answer", 0.5)
        return run

    monkeypatch.setattr(command, "run", fake)
    return command.main(arguments), plans[0]


def test_a_run_that_went_well_ends_with_0(
    done: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, plan = ran(done, monkeypatch)
    assert (code, plan) == (0, Plan(clients=200, seconds=60, private_concurrency=4))
    said = " ".join(capsys.readouterr().out.split())
    assert "Every promise was kept." in said
    assert "Acknowledged: 6 signed up, 1 left, 1 admitted." in said
    assert "Counted by the service: 7 signed_up, 4 waiting, 1 left, 1 admitted." in said
    assert "The private function, 4 at once, was throttled 3 times." in said
    assert "20 clients, 1 of them operators" in said
    for word in ("429 throttled", "409 not_waiting", "flat", "holds what is stored"):
        assert word in said


def test_a_broken_promise_ends_with_1_and_a_plain_sentence(
    done: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problems = [Problem("lost", f"person {number} is gone") for number in range(5)]
    broken = replace(done, problems=[*problems, Problem("order", "ada is late")])
    code, _ = ran(broken, monkeypatch)
    said = " ".join(capsys.readouterr().out.split())
    assert code == 1
    assert "lost: person 0 is gone" in said
    assert "lost: and 2 more" in said
    assert said.endswith("Broken promises: lost (5), order (1).")
