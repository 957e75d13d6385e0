"""Tests that the checks of a load test find every kind of problem."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.reliability.load.final_state import FinalState, Seen
from tests.reliability.load.history import NO_CODE, Loss
from tests.reliability.load.oracle import judge
from tests.reliability.load.scenario import (
    LEASE_SECONDS,
    Scenario,
    a_good_final_state,
    a_good_scenario,
    named,
    problems,
    reordered,
)


@pytest.fixture
def scenario() -> Scenario:
    return a_good_scenario()


@pytest.fixture
def final_state() -> FinalState:
    return a_good_final_state()


def counted(final_state: FinalState, **counts: int) -> FinalState:
    return replace(final_state, stats={**final_state.stats, **counts})


def without(final_state: FinalState, name: str) -> FinalState:
    names = [seen.person for seen in final_state.line if seen.person != name]
    kept = reordered(final_state, *names) if name not in final_state.own_positions else final_state
    line = tuple(replace(seen, total=len(names)) for seen in kept.line)
    return counted(replace(kept, line=line), waiting=len(names), signed_up=6)


Change = Callable[[Scenario, FinalState], FinalState]


def _beside(final_state: FinalState, name: str, status: str, **counts: int) -> FinalState:
    aside = (*final_state.aside, Seen(name, status, None, None, 0))
    return counted(replace(final_state, aside=aside), **counts)


def _did(scenario: Scenario, final_state: FinalState, *order: str, **what: Any) -> FinalState:
    scenario.did(**what)
    return reordered(final_state, *order) if order else final_state


def _claimed(scenario: Scenario, final_state: FinalState, name: str, token: str) -> FinalState:
    scenario.claimed(name, token=token)
    return final_state


def _offered(scenario: Scenario, final_state: FinalState, name: str) -> FinalState:
    scenario.offered(name)
    return final_state


def _entered(scenario: Scenario, final_state: FinalState, name: str) -> FinalState:
    scenario.offered(name)
    scenario.did("enter", name)
    return replace(final_state, admissions={**final_state.admissions, name: 1})


def _claimed_later(scenario: Scenario, final_state: FinalState) -> FinalState:
    scenario.now += LEASE_SECONDS
    return _claimed(scenario, final_state, "cyd", "another")


def _claimed_after_a_release(scenario: Scenario, final_state: FinalState) -> FinalState:
    scenario.did("release", "cyd", "unknown")
    return _claimed(scenario, final_state, "cyd", "another")


def _answered(scenario: Scenario, final_state: FinalState, *answer: Any) -> FinalState:
    scenario.answered(*answer)
    return final_state


def _overlapping(scenario: Scenario, final_state: FinalState) -> FinalState:
    for number, operation in enumerate(scenario.history.operations):
        if (operation.kind, operation.person) == ("signup", "ada"):
            scenario.history.operations[number] = replace(operation, ended=operation.ended + 1)
    return reordered(final_state, *BOB_FIRST)


def _both_ends(scenario: Scenario, final_state: FinalState) -> FinalState:
    scenario.did("complete", "eve")
    final_state = counted(final_state, admitted=2, signed_up=8)
    return replace(final_state, admissions={"fay": 1, "eve": 1})


def _first_of_line(final_state: FinalState, **changes: Any) -> FinalState:
    first, *others = final_state.line
    return replace(final_state, line=(replace(first, **changes), *others))


def _another_count(name: str) -> Change:
    return lambda _, final_state: counted(final_state, **{name: 9})


BOB_FIRST = ("dan", "bob", "ada", "gil")
FRONT = {"kind": "bump", "person": "bob", "asked": {"to": "front"}}
REPEAT = {"kind": "repeat", "person": "bob", "answer": {**named("bob"), "entry_token": "another"}}
# Changes to the example that leave the data correct, so the checks must find no problem. The keys
# describe the changes.
ACCEPTED: dict[str, Change] = {
    "nothing": lambda _, end: end,
    "an unanswered signup without a place": lambda _, end: without(
        replace(end, own_positions={}), "gil"
    ),
    "an unanswered signup at the end": lambda _, end: reordered(end, "dan", "ada", "bob", "gil"),
    "overlapping signups in either order": _overlapping,
    "API Gateway's own 429, which cannot have Retry-After": lambda run, end: _answered(
        run, end, "signup", 429, NO_CODE, ""
    ),
    "an unanswered move": lambda run, end: _did(run, end, *BOB_FIRST, outcome="unknown", **FRONT),
    "an offer that its customer let pass, who went to the back": lambda run, end: _offered(
        run, reordered(end, *BOB_FIRST), "ada"
    ),
    "a hold after the first expired": _claimed_later,
    "a hold after an unanswered release": _claimed_after_a_release,
}
# Changes that make the example wrong, each with the problem that the checks must find. The keys
# describe the changes.
WRONG: dict[str, tuple[Change, str]] = {
    "P3: a signup is lost": (lambda _, end: without(end, "ada"), "lost"),
    "P3: an admission is lost": (lambda _, end: replace(end, admissions={"fay": 0}), "lost"),
    "one who left is on the list": (
        lambda _, end: _beside(end, "eve", "offered", offered=2, signed_up=8),
        "still there, count",
    ),
    "one who was admitted is on the list": (
        lambda _, end: _beside(end, "fay", "offered", offered=2, signed_up=8),
        "still there, count",
    ),
    "P2: one is on the list twice": (
        lambda _, end: _beside(end, "ada", "offered", offered=2),
        "twice, count",
    ),
    "one never signed up": (
        lambda _, end: _beside(end, "zoe", "parked", parked=1),
        "stranger, count",
    ),
    "P1: Bob asked after Ada was answered": (lambda _, end: reordered(end, *BOB_FIRST), "order"),
    "P1: another stands between them": (
        lambda _, end: reordered(end, "dan", "gil", "ada", "bob"),
        "order",
    ),
    "P1: a refused move excuses nothing": (
        lambda run, end: _did(run, end, *BOB_FIRST, outcome="refused", code="not_waiting", **FRONT),
        "order",
    ),
    "P1: a lower priority is ahead": (
        lambda _, end: reordered(end, "ada", "dan", "bob", "gil"),
        "order",
    ),
    "P4: two admissions in one history": (
        lambda _, end: replace(end, admissions={"fay": 2}),
        "admitted twice",
    ),
    "P4: a claim of one admitted": (
        lambda run, end: _claimed(run, end, "fay", "another"),
        "admitted twice",
    ),
    "P4: two holds at once": (lambda run, end: _claimed(run, end, "cyd", "another"), "held twice"),
    "P4: one token for two": (lambda run, end: _claimed(run, end, "bob", "t-cyd"), "held twice"),
    "P4: an offer to one admitted": (
        lambda run, end: _offered(run, end, "fay"),
        "admitted twice",
    ),
    "P4: an offer to one who is held": (lambda run, end: _offered(run, end, "cyd"), "held twice"),
    "one who entered is on the list": (
        lambda run, end: _entered(run, end, "ada"),
        "still there, count",
    ),
    "one has left and was admitted": (_both_ends, "both, count"),
    "P2: a repeat gets another place": (lambda run, end: _did(run, end, **REPEAT), "repeat"),
    "a server error": (
        lambda run, end: _answered(run, end, "signup", 500, "internal_error"),
        "defect",
    ),
    "a refusal without Retry-After": (
        lambda run, end: _answered(run, end, "look", 429, "throttled", ""),
        "no Retry-After",
    ),
    "a 503 without a code and without Retry-After": (
        lambda run, end: _answered(run, end, "signup", 503, NO_CODE, ""),
        "no Retry-After",
    ),
    "a Retry-After that is no number": (
        lambda run, end: _answered(run, end, "look", 503, "throttled", "soon"),
        "no Retry-After",
    ),
    "no answer": (lambda run, end: _answered(run, end, "leave", 0, "ReadTimeout"), "no answer"),
    "a refusal without a cause": (
        lambda run, end: _answered(run, end, "complete", 409, "already_admitted"),
        "wrong refusal",
    ),
    "P6: another position for the operator": (
        lambda _, end: _first_of_line(end, position=2),
        "position",
    ),
    "P6: another position for the customer": (
        lambda _, end: replace(end, own_positions={"gil": 3}),
        "position",
    ),
    "P6: no position for the customer": (
        lambda _, end: replace(end, own_positions={"gil": None}),
        "position",
    ),
    "P6: another total": (lambda _, end: _first_of_line(end, total=5), "position"),
    **{
        f"another count of {name}": (_another_count(name), "count")
        for name in ("waiting", "offered", "parked", "signed_up", "left", "admitted")
    },
    "a leave is counted twice, as a signup is": (
        lambda _, end: counted(end, left=2, signed_up=8),
        "count",
    ),
}


@pytest.mark.parametrize("what", ACCEPTED)
def test_a_possible_history_is_accepted(what: str) -> None:
    scenario = a_good_scenario()
    final_state = ACCEPTED[what](scenario, a_good_final_state())
    assert problems(scenario, final_state) == {}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_history_is_noticed(what: str) -> None:
    change, kinds = WRONG[what]
    scenario = a_good_scenario()
    final_state = change(scenario, a_good_final_state())
    assert problems(scenario, final_state).keys() == set(kinds.split(", "))


def test_the_claim_that_was_sent_first_may_get_an_entry_last(
    scenario: Scenario, final_state: FinalState
) -> None:
    """Two claims run at the same time. The first claim may get an entry that the second one has
    released, which the checks must not report as a problem.
    """
    first = next(
        operation for operation in scenario.history.of("claim") if "cyd" in str(operation.answer)
    )
    scenario.history.operations.remove(first)
    scenario.history.operations.append(replace(first, ended=first.ended + 5))
    scenario.claimed("cyd", token="another")
    assert problems(scenario, final_state).keys() == {"held twice"}
    scenario.did("release", "cyd")
    assert problems(scenario, final_state) == {}


def test_after_a_loss_counters_may_lack_earlier_operations(
    scenario: Scenario, final_state: FinalState
) -> None:
    """After Redis has lost its data, the counters may be missing earlier operations, but not later
    ones.

    The numbers of entries on the waitlist must be exact.
    """
    before, after = Loss(0.0, 0.0), Loss(1e9, 1e9)
    lacking = counted(final_state, left=0, admitted=0)
    assert judge(scenario.history, lacking, LEASE_SECONDS, [after]) == []
    assert {one.kind for one in judge(scenario.history, lacking, LEASE_SECONDS, [before])} == {
        "count"
    }
    for name in ("waiting", "offered", "parked", "left"):
        wrong = counted(final_state, **{name: 9})
        assert {one.kind for one in judge(scenario.history, wrong, LEASE_SECONDS, [after])} == {
            "count"
        }
