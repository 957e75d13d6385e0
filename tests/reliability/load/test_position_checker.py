"""Tests that the checks report every impossible position and accept every possible one."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.reliability.load.history import Operation
from tests.reliability.load.position_checker import impossible_answers
from tests.reliability.load.scenario import Scenario, named

LEASE_SECONDS = 600.0
Act = Callable[[Scenario], Any]


def answered(status: str = "waiting", position: int | None = None, total: int | None = None) -> Any:
    return {"status": status, "position": position, "total": total}


def signed_up(scenario: Scenario, *names: str) -> None:
    for place, name in enumerate(names, start=1):
        answer = {**named(name), **answered("waiting", place, place)}
        scenario.did("signup", name, answer=answer)


def claimed(scenario: Scenario, *names: str, count: int | None = None) -> None:
    claims = [{"customer_id": name, "claim_token": f"t-{name}"} for name in names]
    asked = {"count": len(names) if count is None else count}
    scenario.did("claim", "", answer={"claims": claims}, asked=asked)


def acted(scenario: Scenario, kind: str, name: str, **more: Any) -> None:
    scenario.did(kind, name, asked={"claim_token": f"t-{name}"}, **more)


def bumped(scenario: Scenario, name: str, position: int, total: int = 4, **where: Any) -> None:
    scenario.did("bump", name, answer=answered("waiting", position, total), asked=where)


def looked(scenario: Scenario, name: str, answer: Any) -> None:
    scenario.did("poll", name, answer=answer)


def nothing(_: Scenario) -> None: ...


def a_scenario() -> Scenario:
    scenario = Scenario()
    signed_up(scenario, "ada", "bob", "cyd", "dan")
    return scenario


def found(scenario: Scenario) -> list[str]:
    return [problem.kind for problem in impossible_answers(scenario.history, LEASE_SECONDS)]


def claimed_and(scenario: Scenario, kind: str) -> None:
    claimed(scenario, "ada")
    acted(scenario, kind, "ada", answer=answered("waiting", 1, 4))


def bumped_there_and_back(scenario: Scenario) -> None:
    bumped(scenario, "dan", 1, priority=1)
    bumped(scenario, "dan", 4, priority=0)


# For each operation, the positions that Cyd's next response may contain.
POSITIONS: dict[str, tuple[Act, set[int]]] = {
    "nothing": (nothing, {3}),
    "a leave": (lambda scenario: scenario.did("leave", "ada"), {2}),
    "a leave without an answer": (
        lambda scenario: scenario.did("leave", "ada", "unknown"),
        {2, 3},
    ),
    "a later leave": (lambda scenario: scenario.did("leave", "dan"), {3}),
    "a claim": (lambda scenario: claimed(scenario, "ada"), {2}),
    "a claim of one who is not named": (lambda scenario: claimed(scenario, "ada", count=2), {1, 2}),
    "a claim and a release": (lambda scenario: claimed_and(scenario, "release"), {3}),
    "an admission": (lambda scenario: claimed_and(scenario, "complete"), {2}),
    "an offer": (lambda scenario: scenario.offered("ada"), {2}),
    "a customer who entered": (lambda scenario: scenario.did("enter", "ada"), {2}),
    "a customer who declined": (lambda scenario: scenario.did("decline", "ada"), {2}),
    "a bump": (lambda scenario: bumped(scenario, "dan", 1, priority=1), {4}),
    "a bump there and back": (bumped_there_and_back, {3}),
    "a move": (lambda scenario: bumped(scenario, "dan", 1, to="front"), {3, 4}),
    "a signup without an answer": (
        lambda scenario: scenario.did("signup", "eve", "unknown"),
        {3},
    ),
}


@pytest.mark.parametrize("happened", POSITIONS)
@pytest.mark.parametrize("position", range(1, 6))
def test_a_position_must_have_been_possible(happened: str, position: int) -> None:
    """P6"""
    act, possible = POSITIONS[happened]
    scenario = a_scenario()
    act(scenario)
    looked(scenario, "cyd", answered("waiting", position))
    assert found(scenario) == ([] if position in possible else ["untrue"])


@pytest.mark.parametrize("position", range(1, 5))
def test_an_answer_may_be_true_at_any_moment_of_its_request(position: int) -> None:
    """P6"""
    scenario = a_scenario()
    began = scenario.now
    scenario.did("leave", "ada")
    looked(scenario, "cyd", answered("waiting", position))
    read = scenario.history.operations.pop()
    long = Operation(read.kind, "cyd", "done", began, read.ended, answer=read.answer)
    scenario.history.operations.append(long)
    assert found(scenario) == ([] if position in (2, 3) else ["untrue"])


@pytest.mark.parametrize("total", range(2, 7))
def test_a_total_must_have_been_possible(total: int) -> None:
    """P6"""
    scenario = a_scenario()
    scenario.did("leave", "ada")
    scenario.did("signup", "eve", "unknown")
    scenario.did("total", "", answer={"total": total})
    scenario.did("stats", "", answer={"waiting": total})
    assert found(scenario) == ([] if total in (3, 4) else ["untrue"] * 2)


@pytest.mark.parametrize(
    ("act", "status"),
    [
        (lambda scenario: scenario.did("leave", "cyd"), "waiting"),
        (lambda scenario: claimed(scenario, "cyd"), "waiting"),
        (lambda scenario: scenario.offered("cyd"), "waiting"),
        (nothing, "offered"),
        (nothing, "left"),
        (nothing, "admitted"),
    ],
)
def test_an_impossible_status_is_noticed(act: Act, status: str) -> None:
    """P6"""
    scenario = a_scenario()
    act(scenario)
    looked(scenario, "cyd", answered(status))
    assert found(scenario) == ["untrue"]


@pytest.mark.parametrize("code", ["claim_expired", "claim_mismatch", "not_waiting"])
def test_a_hold_that_was_lost_is_noticed(code: str) -> None:
    """P4"""
    scenario = a_scenario()
    claimed(scenario, "cyd")
    acted(scenario, "complete", "cyd", outcome="refused", answer={"code": code})
    assert found(scenario) == ["hold lost"]


def test_a_leave_ends_a_hold() -> None:
    scenario = a_scenario()
    claimed(scenario, "cyd")
    scenario.did("leave", "cyd")
    acted(scenario, "complete", "cyd", outcome="refused", answer={"code": "not_waiting"})
    assert found(scenario) == []
