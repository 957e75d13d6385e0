"""The oracle notices each thing that can be wrong, where it alone is."""

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
    """The line without somebody, as though they had never been there."""
    names = [seen.person for seen in final_state.line if seen.person != name]
    kept = reordered(final_state, *names) if name not in final_state.told else final_state
    line = tuple(replace(seen, total=len(names)) for seen in kept.line)
    return counted(replace(kept, line=line), waiting=len(names), signed_up=6)


def test_nothing_is_wrong_with_a_run_that_went_well(
    scenario: Scenario, final_state: FinalState
) -> None:
    assert problems(scenario, final_state) == {}


def test_a_lost_person_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P3"""
    assert problems(scenario, without(final_state, "ada")) == {
        "lost": ["ada was told of a place and is not on the list"]
    }


def test_whoever_did_not_hear_of_a_place_need_not_have_one(
    scenario: Scenario, final_state: FinalState
) -> None:
    final_state = replace(final_state, told={})
    assert problems(scenario, without(final_state, "gil")) == {}


def test_a_lost_admission_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P3"""
    assert problems(scenario, replace(final_state, admissions={"fay": 0})).keys() == {"lost"}


@pytest.mark.parametrize("name", ["eve", "fay"])
def test_whoever_was_told_of_an_end_is_on_the_list_no_more(
    scenario: Scenario, final_state: FinalState, name: str
) -> None:
    aside = (*final_state.aside, Seen(name, "offered", None, None, 0))
    final_state = counted(replace(final_state, aside=aside), offered=2, signed_up=8)
    found = problems(scenario, final_state)
    end = {"eve": "left", "fay": "admitted"}[name]
    assert found["still there"] == [f"{name} was told {end} and is on the list"]


def test_a_duplicate_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P2: in line and offered at once, say."""
    aside = (*final_state.aside, Seen("ada", "offered", None, None, 0))
    final_state = counted(replace(final_state, aside=aside), offered=2)
    assert problems(scenario, final_state)["twice"] == ["ada is on the list 2 times"]


def test_somebody_who_never_signed_up_is_noticed(
    scenario: Scenario, final_state: FinalState
) -> None:
    aside = (*final_state.aside, Seen("zoe", "parked", None, None, 0))
    final_state = counted(replace(final_state, aside=aside), parked=1)
    assert problems(scenario, final_state)["stranger"] == ["zoe is on the list and never signed up"]


def test_a_wrong_order_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P1: Bob asked half a second after Ada had been told."""
    found = problems(scenario, reordered(final_state, "dan", "bob", "ada", "gil"))
    assert found == {"order": ["bob asked 0.500 s after ada and is ahead"]}


def test_a_wrong_order_is_noticed_far_apart(scenario: Scenario, final_state: FinalState) -> None:
    """P1: whoever stands between them and overlaps both hides nothing."""
    assert problems(scenario, reordered(final_state, "dan", "gil", "ada", "bob")).keys() == {
        "order"
    }


def test_a_place_between_two_that_was_never_told_is_in_order_behind_its_beginning(
    scenario: Scenario, final_state: FinalState
) -> None:
    assert problems(scenario, reordered(final_state, "dan", "ada", "bob", "gil")) == {}


def test_those_who_came_at_the_same_time_may_stand_either_way(final_state: FinalState) -> None:
    scenario = a_good_scenario()
    for number, operation in enumerate(scenario.history.operations):
        if (operation.kind, operation.person) == ("signup", "ada"):
            scenario.history.operations[number] = replace(operation, ended=operation.ended + 1)
    assert problems(scenario, final_state) == {}
    assert problems(scenario, reordered(final_state, "dan", "bob", "ada", "gil")) == {}


def test_whoever_may_have_been_moved_may_stand_anywhere(
    scenario: Scenario, final_state: FinalState
) -> None:
    scenario.did("bump", "bob", "unknown", asked={"to": "front"})
    assert problems(scenario, reordered(final_state, "dan", "bob", "ada", "gil")) == {}


def test_a_refused_move_is_none(scenario: Scenario, final_state: FinalState) -> None:
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


def test_a_claim_of_somebody_admitted_is_noticed(
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


def test_a_hold_after_the_first_is_over_is_none_too_many(
    scenario: Scenario, final_state: FinalState
) -> None:
    scenario.now += 20
    scenario.claimed("cyd", token="another")
    assert problems(scenario, final_state) == {}


def test_a_hold_after_a_release_is_none_too_many(
    scenario: Scenario, final_state: FinalState
) -> None:
    scenario.did("release", "cyd", "unknown")
    scenario.claimed("cyd", token="another")
    assert problems(scenario, final_state) == {}


def test_whoever_asks_first_may_be_given_somebody_last(
    scenario: Scenario, final_state: FinalState
) -> None:
    """A claim that was throttled meanwhile: another had the person, and gave them back."""
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
        "of eve it was said that they left, and were admitted"
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
def test_a_refusal_that_does_not_say_when_to_come_again_is_noticed(
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
def test_a_refusal_that_nobody_deserves_is_noticed(
    scenario: Scenario, final_state: FinalState, kind: str, status: int, code: str
) -> None:
    scenario.answered(kind, status, code)
    assert problems(scenario, final_state).keys() == {"wrong refusal"}


def test_a_wrong_position_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P6: what operators see, and what the customer is told."""
    wrong = (replace(final_state.line[0], position=2), *final_state.line[1:])
    assert problems(scenario, replace(final_state, line=wrong)).keys() == {"position"}
    assert problems(scenario, replace(final_state, told={"gil": 3})).keys() == {"position"}
    assert problems(scenario, replace(final_state, told={"gil": None})).keys() == {"position"}


def test_a_wrong_total_is_noticed(scenario: Scenario, final_state: FinalState) -> None:
    """P6"""
    wrong = (replace(final_state.line[0], total=5), *final_state.line[1:])
    assert problems(scenario, replace(final_state, line=wrong)).keys() == {"position"}


@pytest.mark.parametrize("name", ["waiting", "offered", "parked", "signed_up", "left", "admitted"])
def test_a_wrong_count_is_noticed(scenario: Scenario, final_state: FinalState, name: str) -> None:
    assert problems(scenario, counted(final_state, **{name: 9})).keys() == {"count"}


def test_counts_that_fit_together_and_not_what_was_told_are_noticed(
    scenario: Scenario, final_state: FinalState
) -> None:
    """Somebody has left twice: neither the line nor the sum shows it."""
    assert problems(scenario, counted(final_state, left=2, signed_up=8)) == {
        "count": ["8 signed_up, but 6 to 7 were told so", "2 left, but 1 to 1 were told so"]
    }


def test_after_a_loss_counts_may_lack_what_was_before_it(
    scenario: Scenario, final_state: FinalState
) -> None:
    """What was done after it is counted; the people on the list are counted exactly."""
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
