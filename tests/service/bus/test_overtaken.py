"""If a process is slow to record a change, its event is published late, but the event's logical
timestamp shows when the change took effect.
"""

from collections.abc import Callable

import pytest

from tests.service.bus.scene import Scene
from tests.service.bus.stories import (
    is_admitted_by_hand_and_let_out,
    is_offered,
    is_parked_and_redriven,
    rests_and_is_held_back,
    signs_up,
)
from tests.support import faults
from tests.support.admissions import Admissions
from waitlist_api.entries.signup_step import SignupCommand


def claimed(people: Admissions) -> None:
    assert people.claimed() == ["ada"]


@pytest.mark.parametrize(
    ("prepare", "slow", "step", "fast", "expected"),
    [
        (is_offered, lambda people: people.release("ada"), 1, claimed, ["released", "offered"]),
        (
            is_parked_and_redriven,
            lambda people: people.bump("ada", "slow", to="front"),
            2,
            lambda people: people.bump("ada", "fast", priority=7),
            ["bumped", "bumped"],
        ),
    ],
    ids=["a release, and the next claim", "two bumps"],
)
def test_a_change_that_is_overtaken_is_published_late_and_once(
    prepare: Callable[[Scene], None],
    slow: Callable[[Admissions], object],
    step: int,
    fast: Callable[[Admissions], object],
    expected: list[str],
) -> None:
    """Consumers that sort events by logical timestamp see them in the order in which the service
    made the changes (promise P2).
    """
    scene = Scene()
    prepare(scene)
    before = len(scene.details("ada"))
    elsewhere = scene.people_elsewhere()
    # Redis has already executed the slow request, but DynamoDB has not recorded it. The fast
    # request runs now.
    scene.wire.arm(step, faults.before(lambda: fast(elsewhere)))
    slow(scene.people)
    assert scene.words("ada")[before:] == expected
    late = [int(one["stamp"]) for one in scene.details("ada")[before:]]
    assert late == sorted(late, reverse=True), "nothing was overtaken"
    assert scene.contradictions() == []


def test_an_erasure_comes_last_whatever_it_overtakes() -> None:
    """After the `erased` event, consumers get no other event for the entry (promise P8)."""
    scene = Scene()
    signs_up(scene)
    elsewhere = scene.people_elsewhere()
    scene.wire.arm(2, faults.before(lambda: elsewhere.erase("ada")))
    scene.people.bump("ada", "slow", to="front")
    scene.maintain()
    assert scene.words("ada") == ["joined", "erased"]
    assert [one["event"] for one in scene.details("ada")] == ["joined", "erased"]


def is_not_verified(scene: Scene) -> None:
    command = SignupCommand(waitlist_id=scene.people.waitlist_id, customer_id="ada")
    scene.world.services.unproven_signups.sign_up(command, verify_minutes=600)


@pytest.mark.parametrize("how", ["the person", "the list"])
@pytest.mark.parametrize(
    ("prepare", "last"),
    [
        (is_admitted_by_hand_and_let_out, "exited"),
        (rests_and_is_held_back, "ready"),
        (is_not_verified, "verification_asked"),
    ],
)
def test_the_event_erased_has_the_highest_timestamp(
    prepare: Callable[[Scene], None], last: str, how: str
) -> None:
    """Some events do not change the timestamp in the entry's record. The `erased` event must still
    get a higher timestamp than these events (promise P8).
    """
    scene = Scene()
    prepare(scene)
    erases = scene.people.delete_waitlist() if how == "the list" else scene.people.erase("ada")
    assert erases.status == 204
    scene.maintain()
    assert scene.words("ada")[-2:] == [last, "erased"]
    assert [one["event"] for one in scene.details("ada")][-2:] == [last, "erased"]
