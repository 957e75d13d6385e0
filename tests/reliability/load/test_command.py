"""Tests that `make overload` and `make load` report the result in words and with their exit
code.
"""

from dataclasses import replace

import pytest

from tests.reliability.load import __main__ as command
from tests.reliability.load.final_state import FinalState, Seen
from tests.reliability.load.memory import Sample
from tests.reliability.load.plan import LaunchPlan, Plan
from tests.reliability.load.run import Note, Run, judged
from tests.reliability.load.scenario import Scenario, a_good_final_state, a_good_scenario
from tests.reliability.load.test_oracle import WRONG
from tests.support.problem import Problem


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


@pytest.fixture
def launched() -> Run:
    scenario = Scenario()
    scenario.signed_up("person-00000")
    scenario.signed_up("person-00001", "unknown")
    plan = LaunchPlan(people=3, most_seconds=9)
    final_state = FinalState(
        line=(Seen("person-00000", "waiting", 1, 1, 0),),
        aside=(),
        stats={"waiting": 1, "signed_up": 1, "left": 0, "admitted": 0, "offered": 0, "parked": 0},
        admissions={},
        own_positions={},
    )
    return Run(
        plan=plan,
        history=scenario.history,
        final_state=final_state,
        samples=[],
        throttled=[],
        began=0,
        ended=scenario.now,
        problems=list(judged(plan, scenario.history, final_state)),
        came=dict.fromkeys(plan.names, 0.0),
        loads=(1.0, 2.0),
    )


@pytest.mark.parametrize("plan", [Plan(), LaunchPlan(people=0)], ids=["overload", "launch"])
def test_the_history_checker_judges_each_run(plan: Plan | LaunchPlan) -> None:
    change, kind = WRONG["P3: a signup is lost"]
    scenario = a_good_scenario()
    final_state = change(scenario, a_good_final_state())
    assert [one.kind for one in judged(plan, scenario.history, final_state)] == [kind]


def run_command(
    run: Run, monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> tuple[int, Plan | LaunchPlan]:
    plans: list[Plan | LaunchPlan] = []

    def fake(plan: Plan | LaunchPlan, note: Note) -> Run:
        plans.append(plan)
        note("1 answer", 0.5)
        return run

    monkeypatch.setattr(command, "run", fake)
    return command.main(arguments), plans[0]


def read_output(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def test_a_run_without_problems_ends_with_exit_code_0(
    done: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, plan = run_command(done, monkeypatch, "overload", "--private", "2")
    assert (code, plan) == (0, Plan(clients=200, seconds=60, private_concurrency=2))
    report = read_output(capsys)
    assert "Every promise was kept." in report
    assert "Acknowledged: 6 signed up, 1 left, 1 admitted." in report
    assert "Counted by the service: 7 signed_up, 4 waiting, 1 left, 1 admitted." in report
    assert "The private function, limited to 4 calls at once, was throttled 3 times." in report
    assert "20 clients, 1 of them operators" in report
    for word in ("429 throttled", "409 not_waiting", "flat", "holds the stored data"):
        assert word in report


def test_a_broken_promise_ends_with_exit_code_1_and_a_sentence(
    done: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problems = [Problem("lost", f"person {number} is gone") for number in range(5)]
    broken = replace(done, problems=[*problems, Problem("order", "ada is late")])
    code, _ = run_command(broken, monkeypatch, "overload")
    report = read_output(capsys)
    assert code == 1
    assert "lost: person 0 is gone" in report
    assert "lost: and 2 more" in report
    assert report.endswith("Broken promises: lost (5), order (1).")


def test_a_launch_that_leaves_people_outside_ends_with_exit_code_1(
    launched: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [str(one) for one in launched.problems] == [
        "outside: person-00001 did not get in within 9 s",
        "outside: person-00002 did not get in within 9 s",
    ]
    code, plan = run_command(launched, monkeypatch, "launch", "--people", "5000", "--within", "10")
    assert (code, plan) == (1, LaunchPlan(people=5000, within_seconds=10))
    report = read_output(capsys)
    assert "3 people arrived within 0 s; 1 got in within 2 s" in report
    assert report.endswith("Broken promises: outside (2).")
