"""The oracle over answers notices each kind of untruth, and takes no possible answer for one."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.reliability.load.history import Deed
from tests.reliability.load.story import Story, named
from tests.support.truths import untruths

LEASE_SECONDS = 600.0
Act = Callable[[Story], Any]


def told(status: str = "waiting", position: int | None = None, total: int | None = None) -> Any:
    return {"status": status, "position": position, "total": total}


def signed_up(story: Story, *names: str) -> None:
    for place, name in enumerate(names, start=1):
        answer = {**named(name), **told("waiting", place, place)}
        story.did("signup", name, answer=answer)


def claimed(story: Story, *names: str, count: int | None = None) -> None:
    claims = [{"customer_id": name, "claim_token": f"t-{name}"} for name in names]
    asked = {"count": len(names) if count is None else count}
    story.did("claim", "", answer={"claims": claims}, asked=asked)


def acted(story: Story, kind: str, name: str, **more: Any) -> None:
    story.did(kind, name, asked={"claim_token": f"t-{name}"}, **more)


def bumped(story: Story, name: str, position: int, total: int = 4, **where: Any) -> None:
    story.did("bump", name, answer=told("waiting", position, total), asked=where)


def looked(story: Story, name: str, answer: Any) -> None:
    story.did("told", name, answer=answer)


def nothing(_: Story) -> None: ...


def a_story() -> Story:
    story = Story()
    signed_up(story, "ada", "bob", "cyd", "dan")
    return story


def found(story: Story) -> list[str]:
    return [problem.kind for problem in untruths(story.history, LEASE_SECONDS)]


def claimed_and(story: Story, kind: str) -> None:
    claimed(story, "ada")
    acted(story, kind, "ada", answer=told("waiting", 1, 4))


def bumped_there_and_back(story: Story) -> None:
    bumped(story, "dan", 1, priority=1)
    bumped(story, "dan", 4, priority=0)


# What happened, then what cyd was told, and what she may be told.
POSITIONS: dict[str, tuple[Act, set[int]]] = {
    "nothing": (nothing, {3}),
    "a leave": (lambda story: story.did("leave", "ada"), {2}),
    "a leave that nobody heard of": (lambda story: story.did("leave", "ada", "unknown"), {2, 3}),
    "a later leave": (lambda story: story.did("leave", "dan"), {3}),
    "a claim": (lambda story: claimed(story, "ada"), {2}),
    "a claim of one who is not named": (lambda story: claimed(story, "ada", count=2), {1, 2}),
    "a claim and a release": (lambda story: claimed_and(story, "release"), {3}),
    "an admission": (lambda story: claimed_and(story, "complete"), {2}),
    "a bump": (lambda story: bumped(story, "dan", 1, priority=1), {4}),
    "a bump there and back": (bumped_there_and_back, {3}),
    "a move": (lambda story: bumped(story, "dan", 1, to="front"), {3, 4}),
    "a signup that nobody heard of": (
        lambda story: story.did("signup", "eve", "unknown"),
        {3},
    ),
}


@pytest.mark.parametrize("happened", POSITIONS)
@pytest.mark.parametrize("position", range(1, 6))
def test_a_position_is_one_that_was_possible(happened: str, position: int) -> None:
    """P6"""
    act, possible = POSITIONS[happened]
    story = a_story()
    act(story)
    looked(story, "cyd", told("waiting", position))
    assert found(story) == ([] if position in possible else ["untrue"])


@pytest.mark.parametrize("position", range(1, 5))
def test_an_answer_may_be_of_any_moment_of_its_request(position: int) -> None:
    """P6"""
    story = a_story()
    began = story.now
    story.did("leave", "ada")
    looked(story, "cyd", told("waiting", position))
    read = story.history.deeds.pop()
    long = Deed(read.kind, "cyd", "done", began, read.ended, answer=read.answer)
    story.history.deeds.append(long)
    assert found(story) == ([] if position in (2, 3) else ["untrue"])


@pytest.mark.parametrize("total", range(2, 7))
def test_a_total_is_one_that_was_possible(total: int) -> None:
    """P6"""
    story = a_story()
    story.did("leave", "ada")
    story.did("signup", "eve", "unknown")
    story.did("total", "", answer={"total": total})
    story.did("stats", "", answer={"waiting": total})
    assert found(story) == ([] if total in (3, 4) else ["untrue"] * 2)


@pytest.mark.parametrize(
    ("act", "status"),
    [
        (lambda story: story.did("leave", "cyd"), "waiting"),
        (lambda story: claimed(story, "cyd"), "waiting"),
        (nothing, "offered"),
        (nothing, "left"),
        (nothing, "admitted"),
    ],
)
def test_a_status_that_cannot_be_is_noticed(act: Act, status: str) -> None:
    """P6"""
    story = a_story()
    act(story)
    looked(story, "cyd", told(status))
    assert found(story) == ["untrue"]


@pytest.mark.parametrize("code", ["claim_expired", "claim_mismatch", "not_waiting"])
def test_a_hold_that_was_lost_is_noticed(code: str) -> None:
    """P4"""
    story = a_story()
    claimed(story, "cyd")
    acted(story, "complete", "cyd", outcome="refused", answer={"code": code})
    assert found(story) == ["hold lost"]


def test_whoever_leaves_is_held_no_more() -> None:
    story = a_story()
    claimed(story, "cyd")
    story.did("leave", "cyd")
    acted(story, "complete", "cyd", outcome="refused", answer={"code": "not_waiting"})
    assert found(story) == []
