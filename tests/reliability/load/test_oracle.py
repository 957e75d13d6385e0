"""The oracle finds each kind of problem in a run that has no other."""

from dataclasses import replace

import pytest

from tests.reliability.load.final_state import FinalState, Seen
from tests.reliability.load.history import Loss
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
    """Return the state as though this customer had never signed up."""
    names = [seen.person for seen in final_state.line if seen.person != name]
    kept = reordered(final_state, *names) if name not in final_state.own_positions else final_state
    line = tuple(replace(seen, total=len(names)) for seen in kept.line)
    return counted(replace(kept, line=line), waiting=len(names), signed_up=6)


def test_nothing_is_wrong_with_a_run_that_went_well(
    scenario: Scenario, final_state: FinalState
) -> None:
    assert problems(scenario, final_state) == {}


def test_a_lost_person_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P3"""
    assert problems(scenario, without(final_state, "ada")) == {
        "lost": ["the signup of ada was acknowledged, and ada is not on the list"]
    }


def test_an_unanswered_signup_need_not_have_a_place(
    scenario: Scenario, final_state: FinalState
) -> None:
    final_state = replace(final_state, own_positions={})
    assert problems(scenario, without(final_state, "gil")) == {}


def test_a_lost_admission_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P3"""
    assert problems(scenario, replace(final_state, admissions={"fay": 0})).keys() == {"lost"}


@pytest.mark.parametrize("name", ["eve", "fay"])
def test_an_ended_entry_on_the_list_is_noticed(
    scenario: Scenario, final_state: FinalState, name: str
) -> None:
    aside = (*final_state.aside, Seen(name, "offered", None, None, 0))
    final_state = counted(replace(final_state, aside=aside), offered=2, signed_up=8)
    found = problems(scenario, final_state)
    end = {"eve": "left", "fay": "admitted"}[name]
    assert found["still there"] == [f"{name} was answered {end!r}, and is on the list"]


def test_a_duplicate_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P2: Ada is in line and offered at once."""
    aside = (*final_state.aside, Seen("ada", "offered", None, None, 0))
    final_state = counted(replace(final_state, aside=aside), offered=2)
    assert problems(scenario, final_state)["twice"] == ["ada is on the list 2 times"]


def test_an_entry_without_a_signup_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    aside = (*final_state.aside, Seen("zoe", "parked", None, None, 0))
    final_state = counted(replace(final_state, aside=aside), parked=1)
    assert problems(scenario, final_state)["stranger"] == ["zoe is on the list and never signed up"]


def test_a_wrong_order_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P1: Bob's signup was sent half a second after Ada's was acknowledged."""
    found = problems(scenario, reordered(final_state, "dan", "bob", "ada", "gil"))
    assert found == {"order": ["bob asked 0.500 s after ada and is ahead"]}


def test_a_wrong_order_is_noticed_far_apart(scenario: Scenario, final_state: FinalState) -> None:
    """P1: Gil, whose signup overlaps both, stands between them."""
    assert problems(scenario, reordered(final_state, "dan", "gil", "ada", "bob")).keys() == {
        "order"
    }


def test_an_unanswered_signup_may_stand_anywhere_behind_its_request(
    scenario: Scenario, final_state: FinalState
) -> None:
    assert problems(scenario, reordered(final_state, "dan", "ada", "bob", "gil")) == {}


def test_overlapping_signups_may_stand_in_either_order(final_state: FinalState) -> None:
    scenario = a_good_scenario()
    for number, operation in enumerate(scenario.history.operations):
        if (operation.kind, operation.person) == ("signup", "ada"):
            scenario.history.operations[number] = replace(operation, ended=operation.ended + 1)
    assert problems(scenario, final_state) == {}
    assert problems(scenario, reordered(final_state, "dan", "bob", "ada", "gil")) == {}


def test_an_entry_with_an_unanswered_move_may_stand_anywhere(
    scenario: Scenario, final_state: FinalState
) -> None:
    scenario.did("bump", "bob", "unknown", asked={"to": "front"})
    assert problems(scenario, reordered(final_state, "dan", "bob", "ada", "gil")) == {}


def test_a_refused_move_does_not_excuse_a_wrong_order(
    scenario: Scenario, final_state: FinalState
) -> None:
    scenario.did("bump", "bob", "refused", asked={"to": "front"}, code="not_waiting")
    assert problems(scenario, reordered(final_state, "dan", "bob", "ada", "gil")).keys() == {
        "order"
    }


def test_a_lower_priority_ahead_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P1"""
    found = problems(scenario, reordered(final_state, "ada", "dan", "bob", "gil"))
    assert found == {"order": ["dan stands behind a lower priority"]}


def test_admitting_twice_is_noticed_in_the_history(
    scenario: Scenario, final_state: FinalState
) -> None:
    """P4"""
    final_state = replace(final_state, admissions={"fay": 2})
    assert problems(scenario, final_state).keys() == {"admitted twice"}


def test_a_claim_of_an_admitted_entry_is_noticed(
    scenario: Scenario, final_state: FinalState
) -> None:
    """P4"""
    scenario.claimed("fay", token="another")
    assert problems(scenario, final_state) == {
        "admitted twice": ["fay was claimed after being admitted"]
    }


def test_two_holds_at_once_are_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P4"""
    scenario.claimed("cyd", token="another")
    assert problems(scenario, final_state) == {
        "held twice": ["cyd was given to two claimers at once"]
    }


def test_a_hold_after_the_first_expired_is_accepted(
    scenario: Scenario, final_state: FinalState
) -> None:
    scenario.now += 20
    scenario.claimed("cyd", token="another")
    assert problems(scenario, final_state) == {}


def test_a_hold_after_a_release_is_accepted(scenario: Scenario, final_state: FinalState) -> None:
    scenario.did("release", "cyd", "unknown")
    scenario.claimed("cyd", token="another")
    assert problems(scenario, final_state) == {}


def test_the_first_claim_may_get_an_entry_last(scenario: Scenario, final_state: FinalState) -> None:
    """The first claim was throttled; another held the entry and released it in between."""
    first = next(
        operation for operation in scenario.history.of("claim") if "cyd" in str(operation.answer)
    )
    scenario.history.operations.remove(first)
    scenario.history.operations.append(replace(first, ended=first.ended + 5))
    scenario.claimed("cyd", token="another")
    assert problems(scenario, final_state).keys() == {"held twice"}
    scenario.did("release", "cyd")
    assert problems(scenario, final_state) == {}


def test_a_token_of_two_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P4"""
    scenario.claimed("bob", token="t-cyd")
    assert problems(scenario, final_state) == {"held twice": ["bob and cyd share a token"]}


def test_leaving_and_being_admitted_at_once_is_noticed(
    scenario: Scenario, final_state: FinalState
) -> None:
    scenario.did("complete", "eve")
    final_state = replace(
        counted(final_state, admitted=2, signed_up=8), admissions={"fay": 1, "eve": 1}
    )
    assert problems(scenario, final_state)["both"] == [
        "eve was answered both 'left' and 'admitted'"
    ]


def test_a_repeat_that_gets_another_place_is_noticed(
    scenario: Scenario, final_state: FinalState
) -> None:
    """P2"""
    scenario.did("repeat", "bob", answer={**named("bob"), "entry_token": "another"})
    assert problems(scenario, final_state).keys() == {"repeat"}


@pytest.mark.parametrize("status", [500, 502, 504])
def test_a_server_error_is_noticed(
    scenario: Scenario, final_state: FinalState, status: int
) -> None:
    scenario.answered("signup", status, "internal_error")
    text = f"a signup was answered {status} internal_error after 0.5 s"
    assert problems(scenario, final_state) == {"defect": [text]}


@pytest.mark.parametrize("retry_after", ["", "soon"])
@pytest.mark.parametrize("status", [429, 503])
def test_a_refusal_without_retry_after_is_noticed(
    scenario: Scenario, final_state: FinalState, status: int, retry_after: str
) -> None:
    scenario.answered("look", status, "throttled", retry_after)
    assert problems(scenario, final_state).keys() == {"no Retry-After"}


def test_no_answer_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    scenario.answered("leave", 0, "ReadTimeout")
    assert problems(scenario, final_state) == {"no answer": ["a leave got ReadTimeout after 0.5 s"]}


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("look", 404, "entry_not_found"),
        ("signup", 409, "already_on_list"),
        ("complete", 409, "already_admitted"),
        ("leave", 401, "unauthorized"),
    ],
)
def test_a_refusal_without_a_cause_is_noticed(
    scenario: Scenario, final_state: FinalState, kind: str, status: int, code: str
) -> None:
    scenario.answered(kind, status, code)
    assert problems(scenario, final_state).keys() == {"wrong refusal"}


def test_a_wrong_position_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P6: the operator's and the customer's answers are checked."""
    wrong = (replace(final_state.line[0], position=2), *final_state.line[1:])
    assert problems(scenario, replace(final_state, line=wrong)).keys() == {"position"}
    assert problems(scenario, replace(final_state, own_positions={"gil": 3})).keys() == {"position"}
    assert problems(scenario, replace(final_state, own_positions={"gil": None})).keys() == {
        "position"
    }


def test_a_wrong_total_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P6"""
    wrong = (replace(final_state.line[0], total=5), *final_state.line[1:])
    assert problems(scenario, replace(final_state, line=wrong)).keys() == {"position"}


@pytest.mark.parametrize("name", ["waiting", "offered", "parked", "signed_up", "left", "admitted"])
def test_a_wrong_count_is_noticed(scenario: Scenario, final_state: FinalState, name: str) -> None:
    assert problems(scenario, counted(final_state, **{name: 9})).keys() == {"count"}


def test_counts_that_add_up_but_contradict_the_answers_are_noticed(
    scenario: Scenario, final_state: FinalState
) -> None:
    """A leave was counted twice: neither the line nor the sum shows it."""
    assert problems(scenario, counted(final_state, left=2, signed_up=8)) == {
        "count": [
            "8 signed_up, but the answers allow 6 to 7",
            "2 left, but the answers allow 1 to 1",
        ]
    }


def test_after_a_loss_counts_may_lack_what_was_before_it(
    scenario: Scenario, final_state: FinalState
) -> None:
    """Operations after the loss are counted, and the entries on the list are counted exactly."""
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
