"""The oracle notices each thing that can be wrong, where it alone is."""

from dataclasses import replace

import pytest

from tests.reliability.load.ending import Ending, Seen
from tests.reliability.load.history import Loss
from tests.reliability.load.oracle import judge
from tests.reliability.load.story import (
    LEASE_SECONDS,
    Story,
    a_good_ending,
    a_good_story,
    named,
    problems,
    reordered,
)


@pytest.fixture
def story() -> Story:
    return a_good_story()


@pytest.fixture
def ending() -> Ending:
    return a_good_ending()


def counted(ending: Ending, **counts: int) -> Ending:
    return replace(ending, stats={**ending.stats, **counts})


def without(ending: Ending, name: str) -> Ending:
    """The line without somebody, as though they had never been there."""
    names = [seen.person for seen in ending.line if seen.person != name]
    kept = reordered(ending, *names) if name not in ending.told else ending
    line = tuple(replace(seen, total=len(names)) for seen in kept.line)
    return counted(replace(kept, line=line), waiting=len(names), signed_up=6)


def test_nothing_is_wrong_with_a_run_that_went_well(story: Story, ending: Ending) -> None:
    assert problems(story, ending) == {}


def test_a_lost_person_is_noticed(story: Story, ending: Ending) -> None:
    """P3"""
    assert problems(story, without(ending, "ada")) == {
        "lost": ["ada was told of a place and is not on the list"]
    }


def test_whoever_did_not_hear_of_a_place_need_not_have_one(story: Story, ending: Ending) -> None:
    ending = replace(ending, told={})
    assert problems(story, without(ending, "gil")) == {}


def test_a_lost_admission_is_noticed(story: Story, ending: Ending) -> None:
    """P3"""
    assert problems(story, replace(ending, admissions={"fay": 0})).keys() == {"lost"}


@pytest.mark.parametrize("name", ["eve", "fay"])
def test_whoever_was_told_of_an_end_is_on_the_list_no_more(
    story: Story, ending: Ending, name: str
) -> None:
    aside = (*ending.aside, Seen(name, "offered", None, None, 0))
    ending = counted(replace(ending, aside=aside), offered=2, signed_up=8)
    found = problems(story, ending)
    end = {"eve": "left", "fay": "admitted"}[name]
    assert found["still there"] == [f"{name} was told {end} and is on the list"]


def test_a_duplicate_is_noticed(story: Story, ending: Ending) -> None:
    """P2: in line and offered at once, say."""
    aside = (*ending.aside, Seen("ada", "offered", None, None, 0))
    ending = counted(replace(ending, aside=aside), offered=2)
    assert problems(story, ending)["twice"] == ["ada is on the list 2 times"]


def test_somebody_who_never_signed_up_is_noticed(story: Story, ending: Ending) -> None:
    aside = (*ending.aside, Seen("zoe", "parked", None, None, 0))
    ending = counted(replace(ending, aside=aside), parked=1)
    assert problems(story, ending)["stranger"] == ["zoe is on the list and never signed up"]


def test_a_wrong_order_is_noticed(story: Story, ending: Ending) -> None:
    """P1: Bob asked half a second after Ada had been told."""
    found = problems(story, reordered(ending, "dan", "bob", "ada", "gil"))
    assert found == {"order": ["bob asked 0.500 s after ada and is ahead"]}


def test_a_wrong_order_is_noticed_far_apart(story: Story, ending: Ending) -> None:
    """P1: whoever stands between them and overlaps both hides nothing."""
    assert problems(story, reordered(ending, "dan", "gil", "ada", "bob")).keys() == {"order"}


def test_a_place_between_two_that_was_never_told_is_in_order_behind_its_beginning(
    story: Story, ending: Ending
) -> None:
    assert problems(story, reordered(ending, "dan", "ada", "bob", "gil")) == {}


def test_those_who_came_at_the_same_time_may_stand_either_way(ending: Ending) -> None:
    story = a_good_story()
    for number, deed in enumerate(story.history.deeds):
        if (deed.kind, deed.person) == ("signup", "ada"):
            story.history.deeds[number] = replace(deed, ended=deed.ended + 1)
    assert problems(story, ending) == {}
    assert problems(story, reordered(ending, "dan", "bob", "ada", "gil")) == {}


def test_whoever_may_have_been_moved_may_stand_anywhere(story: Story, ending: Ending) -> None:
    story.did("bump", "bob", "unknown", asked={"to": "front"})
    assert problems(story, reordered(ending, "dan", "bob", "ada", "gil")) == {}


def test_a_refused_move_is_none(story: Story, ending: Ending) -> None:
    story.did("bump", "bob", "refused", asked={"to": "front"}, code="not_waiting")
    assert problems(story, reordered(ending, "dan", "bob", "ada", "gil")).keys() == {"order"}


def test_a_lower_priority_ahead_is_noticed(story: Story, ending: Ending) -> None:
    """P1"""
    found = problems(story, reordered(ending, "ada", "dan", "bob", "gil"))
    assert found == {"order": ["dan stands behind a lower priority"]}


def test_admitting_twice_is_noticed_in_the_history(story: Story, ending: Ending) -> None:
    """P4"""
    ending = replace(ending, admissions={"fay": 2})
    assert problems(story, ending).keys() == {"admitted twice"}


def test_a_claim_of_somebody_admitted_is_noticed(story: Story, ending: Ending) -> None:
    """P4"""
    story.claimed("fay", token="another")
    assert problems(story, ending) == {"admitted twice": ["fay was claimed after being admitted"]}


def test_two_holds_at_once_are_noticed(story: Story, ending: Ending) -> None:
    """P4"""
    story.claimed("cyd", token="another")
    assert problems(story, ending) == {"held twice": ["cyd was given to two claimers at once"]}


def test_a_hold_after_the_first_is_over_is_none_too_many(story: Story, ending: Ending) -> None:
    story.now += 20
    story.claimed("cyd", token="another")
    assert problems(story, ending) == {}


def test_a_hold_after_a_release_is_none_too_many(story: Story, ending: Ending) -> None:
    story.did("release", "cyd", "unknown")
    story.claimed("cyd", token="another")
    assert problems(story, ending) == {}


def test_whoever_asks_first_may_be_given_somebody_last(story: Story, ending: Ending) -> None:
    """A claim that was throttled meanwhile: another had the person, and gave them back."""
    first = next(deed for deed in story.history.of("claim") if "cyd" in str(deed.answer))
    story.history.deeds.remove(first)
    story.history.deeds.append(replace(first, ended=first.ended + 5))
    story.claimed("cyd", token="another")
    assert problems(story, ending).keys() == {"held twice"}
    story.did("release", "cyd")
    assert problems(story, ending) == {}


def test_a_token_of_two_is_noticed(story: Story, ending: Ending) -> None:
    """P4"""
    story.claimed("bob", token="t-cyd")
    assert problems(story, ending) == {"held twice": ["bob and cyd share a token"]}


def test_leaving_and_being_admitted_at_once_is_noticed(story: Story, ending: Ending) -> None:
    story.did("complete", "eve")
    ending = replace(counted(ending, admitted=2, signed_up=8), admissions={"fay": 1, "eve": 1})
    assert problems(story, ending)["both"] == [
        "of eve it was said that they left, and were admitted"
    ]


def test_a_repeat_that_gets_another_place_is_noticed(story: Story, ending: Ending) -> None:
    """P2"""
    story.did("repeat", "bob", answer={**named("bob"), "entry_token": "another"})
    assert problems(story, ending).keys() == {"repeat"}


@pytest.mark.parametrize("status", [500, 502, 504])
def test_a_server_error_is_noticed(story: Story, ending: Ending, status: int) -> None:
    story.answered("signup", status, "internal_error")
    text = f"a signup was answered {status} internal_error after 0.5 s"
    assert problems(story, ending) == {"defect": [text]}


@pytest.mark.parametrize("retry_after", ["", "soon"])
@pytest.mark.parametrize("status", [429, 503])
def test_a_refusal_that_does_not_say_when_to_come_again_is_noticed(
    story: Story, ending: Ending, status: int, retry_after: str
) -> None:
    story.answered("look", status, "throttled", retry_after)
    assert problems(story, ending).keys() == {"no Retry-After"}


def test_no_answer_is_noticed(story: Story, ending: Ending) -> None:
    story.answered("leave", 0, "ReadTimeout")
    assert problems(story, ending) == {"no answer": ["a leave got ReadTimeout after 0.5 s"]}


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
    story: Story, ending: Ending, kind: str, status: int, code: str
) -> None:
    story.answered(kind, status, code)
    assert problems(story, ending).keys() == {"wrong refusal"}


def test_a_wrong_position_is_noticed(story: Story, ending: Ending) -> None:
    """P6: what operators see, and what the customer is told."""
    wrong = (replace(ending.line[0], position=2), *ending.line[1:])
    assert problems(story, replace(ending, line=wrong)).keys() == {"position"}
    assert problems(story, replace(ending, told={"gil": 3})).keys() == {"position"}
    assert problems(story, replace(ending, told={"gil": None})).keys() == {"position"}


def test_a_wrong_total_is_noticed(story: Story, ending: Ending) -> None:
    """P6"""
    wrong = (replace(ending.line[0], total=5), *ending.line[1:])
    assert problems(story, replace(ending, line=wrong)).keys() == {"position"}


@pytest.mark.parametrize("name", ["waiting", "offered", "parked", "signed_up", "left", "admitted"])
def test_a_wrong_count_is_noticed(story: Story, ending: Ending, name: str) -> None:
    assert problems(story, counted(ending, **{name: 9})).keys() == {"count"}


def test_counts_that_fit_together_and_not_what_was_told_are_noticed(
    story: Story, ending: Ending
) -> None:
    """Somebody has left twice: neither the line nor the sum shows it."""
    assert problems(story, counted(ending, left=2, signed_up=8)) == {
        "count": ["8 signed_up, but 6 to 7 were told so", "2 left, but 1 to 1 were told so"]
    }


def test_after_a_loss_counts_may_lack_what_was_before_it(story: Story, ending: Ending) -> None:
    """What was done after it is counted; the people on the list are counted exactly."""
    before, after = Loss(0.0, 0.0), Loss(1e9, 1e9)
    lacking = counted(ending, left=0, admitted=0)
    assert judge(story.history, lacking, LEASE_SECONDS, after) == []
    assert {one.kind for one in judge(story.history, lacking, LEASE_SECONDS, before)} == {"count"}
    for name in ("waiting", "offered", "parked", "left"):
        wrong = counted(ending, **{name: 9})
        assert {one.kind for one in judge(story.history, wrong, LEASE_SECONDS, after)} == {"count"}
