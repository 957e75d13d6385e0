"""Requests that are sent twice by the SDK or come very late, from clients without a key too."""

from collections.abc import Callable

import pytest

from tests.reliability.faults.operations import (
    BACK,
    LINE,
    Request,
    eve_has_left,
    line,
    line_with_eve,
    sign_up_with,
)
from tests.reliability.faults.scene import Scene
from tests.support import faults
from tests.support.faults import Crash
from tests.support.gateway import Answer
from waitlist_queue import keys

sign_up_without_key = sign_up_with(None)


def bring_eve(scene: Scene) -> Answer:
    return scene.people.bring("eve", ended="rejoin")


# How many steps come before the one in which Redis gives the place.
STEP_OF_PLACE: dict[Request, int] = {sign_up_without_key: 2, bring_eve: 4}


@pytest.mark.parametrize("prepare", [line, eve_has_left])
def test_a_signup_without_a_key_is_not_refused_because_of_itself(
    scene: Scene, prepare: Callable[[Scene], None]
) -> None:
    """P2: the SDK repeats each of its calls whose answer it did not hear."""
    prepare(scene)
    before = scene.stores.snapshot()
    scene.warm_up()
    sign_up_without_key(scene)
    for step, name in enumerate(scene.wire.names):
        scene.stores.restore(before)
        scene.wire.arm(step, faults.delivered_twice)
        answer = sign_up_without_key(scene)
        assert (answer.status, scene.order()) == (201, list(BACK)), f"step {step} {name}"
        assert not list(scene.contradictions())


def test_a_signup_that_comes_late_does_not_take_the_next_stays_place(scene: Scene) -> None:
    """P3: during the first signup an operator removes the customer, who signs up again."""
    line(scene)
    scene.warm_up()
    other = Scene(scene.stores).people

    def meanwhile() -> None:
        assert other.remove("eve").status == 204
        scene.rebuild_elsewhere()
        # Redis keeps the tombstone of the stay that ended for a quarter of an hour.
        scene.stores.redis.delete(keys.gone("bakery"))
        assert other.sign_up("eve", key="anew").status == 201

    scene.wire.arm(2, faults.before(meanwhile))
    assert scene.people.sign_up("eve", key="first").code == "not_waiting"
    assert scene.order() == list(BACK)
    assert not list(scene.contradictions())


@pytest.mark.parametrize("anew", [sign_up_without_key, bring_eve], ids=["signup", "import"])
def test_a_late_move_does_not_give_the_next_stay_the_place_of_the_last(
    scene: Scene, anew: Request
) -> None:
    """P1, P4: its person leaves before it is recorded, and is just joining again by then."""
    line_with_eve(scene)
    other = Scene(scene.stores)

    def meanwhile() -> None:
        assert other.people.leave("eve").status == 204
        other.warm_up()
        # Redis knows the new place, the record only that there is to be one.
        other.wire.also(STEP_OF_PLACE[anew], faults.crash_after)
        with pytest.raises(Crash):
            anew(other)

    scene.warm_up()
    scene.wire.arm(1, faults.before(meanwhile))
    assert scene.people.bump("eve", key="late", to="front").code == "not_waiting"
    assert scene.order() == list(BACK)
    scene.world.maintain()
    assert scene.order() == list(BACK)
    assert not list(scene.contradictions())


def test_a_late_move_tells_nothing_of_an_erased_person(scene: Scene) -> None:
    """P8: a newer move was recorded first, and the person erased before the older one."""
    line_with_eve(scene)
    scene.warm_up()
    other = Scene(scene.stores).people
    scene.wire.arm(
        1, faults.before(lambda: other.bump("eve", key="newer", to="back", reason="late"))
    )
    scene.wire.also(2, faults.before(lambda: other.erase("eve")))
    assert scene.people.bump("eve", key="older", to="front").code == "not_waiting"
    assert scene.wire.names == ["Invoke", "TransactWriteItems", "TransactWriteItems"]
    scene.world.maintain()
    assert scene.traces("eve") == []
    assert scene.order() == list(LINE)
