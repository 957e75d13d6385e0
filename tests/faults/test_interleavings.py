"""Two operations on one person: one runs whole between any two steps of the other."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.faults.operations import (
    BACK,
    FRONT,
    LINE,
    TWO_AHEAD,
    Prepare,
    Request,
    bump,
    erase,
    eve_has_left,
    leave,
    line,
    line_with_eve,
    look,
    redis_forgot_eve,
    sign_up,
    sign_up_with,
)
from tests.faults.scene import Scene, Stores
from tests.support import faults
from tests.support.gateway import Answer
from tests.support.snapshot import Snapshot

Order = tuple[str, ...]
DONE = (200, 201, 204)
REFUSED = (404, 409)


@dataclass(frozen=True)
class Pair:
    """`second_first` and `first_second` are the orders that each sequence ends in."""

    name: str
    prepare: Prepare
    first: Request
    second: Request
    second_first: Order
    first_second: Order

    def __str__(self) -> str:
        return self.name


sign_up_anew = sign_up_with("another-key")
bump_by_places = bump(places=2)
bump_to_front = bump(to="front")
bump_to_back = bump("another-key", to="back")
bump_to_priority = bump(priority=7)

PAIRS = (
    Pair("signup, its copy", line, sign_up, sign_up, BACK, BACK),
    Pair("signup, another client's", line, sign_up, sign_up_anew, BACK, BACK),
    Pair("signup, leave", line, sign_up, leave, BACK, LINE),
    Pair("signup, erase", line, sign_up, erase, BACK, LINE),
    Pair("signup, bump", line, sign_up, bump_to_front, BACK, FRONT),
    Pair("rejoin, its copy", eve_has_left, sign_up, sign_up, BACK, BACK),
    Pair("rejoin, leave", eve_has_left, sign_up, leave, BACK, LINE),
    Pair("rejoin, erase", eve_has_left, sign_up, erase, BACK, LINE),
    Pair("rejoin, bump", eve_has_left, sign_up, bump_to_front, BACK, FRONT),
    Pair("leave, rejoin", line_with_eve, leave, sign_up, LINE, BACK),
    Pair("leave, its copy", line_with_eve, leave, leave, LINE, LINE),
    Pair("leave, erase", line_with_eve, leave, erase, LINE, LINE),
    Pair("leave, bump", line_with_eve, leave, bump_to_front, LINE, LINE),
    Pair("erase, signup", line_with_eve, erase, sign_up, LINE, BACK),
    Pair("erase, leave", line_with_eve, erase, leave, LINE, LINE),
    Pair("erase, bump", line_with_eve, erase, bump_to_front, LINE, LINE),
    Pair("erase of one who left, signup", eve_has_left, erase, sign_up, LINE, BACK),
    Pair("bump, its copy", line_with_eve, bump_by_places, bump_by_places, TWO_AHEAD, TWO_AHEAD),
    Pair("bump, leave", line_with_eve, bump_to_front, leave, LINE, LINE),
    Pair("bump, erase", line_with_eve, bump_to_front, erase, LINE, LINE),
    Pair("bump, bump back", line_with_eve, bump_to_priority, bump_to_back, FRONT, BACK),
    Pair("bump of one whom Redis lost, leave", redis_forgot_eve, bump_to_front, leave, LINE, LINE),
    Pair("bump of one whom Redis lost, look", redis_forgot_eve, bump_to_front, look, FRONT, FRONT),
    Pair("look at one whom Redis lost, leave", redis_forgot_eve, look, leave, LINE, LINE),
    Pair("look at one whom Redis lost, erase", redis_forgot_eve, look, erase, LINE, LINE),
    Pair("look at one whom Redis lost, bump", redis_forgot_eve, look, bump_to_front, FRONT, FRONT),
)


@dataclass
class Meeting:
    """One run of a pair: the second operation at one step of the first, in its own process."""

    pair: Pair
    scene: Scene
    other: Scene
    first: Answer | None = None
    second: Answer | None = None

    def run(self, step: int, *, after: bool = False) -> None:
        strike = faults.after if after else faults.before
        self.scene.wire.arm(step, strike(self._meanwhile))
        self.first = self.pair.first(self.scene)

    def _meanwhile(self) -> None:
        self.second = self.pair.second(self.other)

    def problems(self, *orders: Order) -> Iterator[str]:
        """Yield what contradicts the promises, or is not as one of the orders."""
        assert self.first
        assert self.second
        for answer in (self.first, self.second):
            if answer.status not in DONE + REFUSED:
                yield f"an answer is {answer}"
        order = tuple(self.scene.order())
        if order not in orders:
            yield f"the order is {order} after {self.first} and {self.second}"
        yield from self._broken_words("eve" in order)
        yield from self.scene.contradictions()

    def _broken_words(self, is_waiting: bool) -> Iterator[str]:
        """Yield an answer that says what is not so, unless the other answer says why."""
        assert self.first
        assert self.second
        answers = {self.pair.first: self.first, self.pair.second: self.second}
        told = [one.json.get("status") for one in answers.values() if one.status in (200, 201)]
        ended = [one.status for request, one in answers.items() if request in (leave, erase)]
        if not is_waiting and "waiting" in told and 204 not in ended:
            yield f"eve is not waiting after {answers}"


def meetings(stores: Stores, pair: Pair) -> Iterator[tuple[str, Meeting, tuple[Order, ...]]]:
    """Yield every run of a pair, what to call it, and the orders that it may end in."""
    scene = Scene(stores)
    assert scene.people.configure().status == 201
    pair.prepare(scene)
    before = stores.snapshot()
    scene.warm_up()
    pair.first(scene)
    steps = scene.wire.names
    either = (pair.first_second, pair.second_first)
    for step, name in enumerate(steps):
        meeting = new_meeting(stores, before, pair)
        meeting.run(step)
        yield f"before step {step} {name}", meeting, either if step else (pair.second_first,)
    meeting = new_meeting(stores, before, pair)
    meeting.run(len(steps) - 1, after=True)
    yield "after the last step", meeting, (pair.first_second,)


def new_meeting(stores: Stores, before: Snapshot, pair: Pair) -> Meeting:
    stores.restore(before)
    meeting = Meeting(pair, Scene(stores), Scene(stores))
    meeting.scene.warm_up()
    return meeting


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_two_operations_end_as_one_after_the_other(stores: Stores, pair: Pair) -> None:
    """P1, P2, P3, P6: whichever step of the first the second comes between."""
    wrong = [
        f"{pair}, second {when}: {problem}"
        for when, meeting, orders in meetings(stores, pair)
        for problem in meeting.problems(*orders)
    ]
    assert not wrong, "\n".join(wrong)
