"""A waitlist is deleted, and made anew under the same id, while people and maintainers are busy."""

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from tests.reliability.faults.scene import (
    LINE,
    WITH_EVE,
    Scene,
    Stores,
    eve_has_left,
    eve_is_joining,
    line_with_eve,
)
from tests.support import faults
from tests.support.faults import Crash, Fault
from tests.support.people import People
from tests.support.snapshot import Snapshot
from tests.support.world import START_MILLIS
from waitlist_shared.errors import WaitlistError
from waitlist_shared.limits import ONCE_SECONDS

MINUTES_TO_DELETE = 4
NEWCOMERS = ("fay", "eve")


def leftovers(stores: Stores) -> list[object]:
    """Return what is left of all waitlists.

    The moves of an entry and the Idempotency-Keys in Redis expire after a day, the journal's ids
    after days.
    """
    items = [key for key in stores.dynamodb.items if not key[0].startswith("JOURNAL#")]
    keys = [key for key in stores.redis.keys("*") if not _expires_by_itself(stores, key)]
    return [*items, *keys]


def _expires_by_itself(stores: Stores, key: str) -> bool:
    is_of_requests = ":once:" in key or ":moves:" in key
    return is_of_requests and 0 < stores.redis.ttl(key) <= ONCE_SECONDS


def delete_wholly(scene: Scene) -> None:
    for _ in range(MINUTES_TO_DELETE // 2):
        scene.world.maintain()


def make_anew(people: People) -> None:
    assert people.configure().status == 201
    for name in NEWCOMERS:
        assert people.sign_up(name, key=f"anew-{name}").status == 201


def struck(
    scene: Scene, before: Snapshot, do: Callable[[], object], strike: Callable[[], Fault]
) -> Iterator[str]:
    """Do something once for each of its steps, struck there."""
    scene.stores.restore(before)
    scene.wire.disarm()
    do()
    for step, name in enumerate(scene.wire.names):
        scene.stores.restore(before)
        scene.world.clock.millis = START_MILLIS
        scene.wire.arm(step, strike())
        with suppress(Crash, WaitlistError):
            do()
        scene.wire.disarm()
        yield f"step {step} {name}"


def test_nothing_is_left_of_a_deleted_waitlist(scene: Scene) -> None:
    """P8: neither people nor their history, whatever their state."""
    line_with_eve(scene)
    assert scene.people.leave("ann").status == 204
    assert scene.people.bump("dan", key="dan", to="front").status == 200
    assert scene.people.delete_waitlist().status == 204
    delete_wholly(scene)
    assert leftovers(scene.stores) == []


@pytest.mark.parametrize("fault", [faults.crash_before, faults.crash_after, faults.unheard])
def test_a_deletion_that_is_cut_off_is_completed(scene: Scene, fault: Fault) -> None:
    """P3: at each step of the request and of maintenance."""
    line_with_eve(scene)
    scene.warm_up()

    def delete() -> None:
        scene.people.delete_waitlist()
        delete_wholly(scene)

    for where in struck(scene, scene.stores.snapshot(), delete, lambda: fault):
        assert scene.people.delete_waitlist().status in (204, 404)
        delete_wholly(scene)
        assert leftovers(scene.stores) == [], where


@pytest.mark.parametrize("prepare", [eve_is_joining, eve_has_left, line_with_eve])
def test_the_next_waitlist_of_the_same_id_knows_nobody(
    scene: Scene, prepare: Callable[[Scene], None]
) -> None:
    """P1, P4: nobody has an old place, an old refusal or an old intent."""
    prepare(scene)
    scene.people.delete_waitlist()
    delete_wholly(scene)
    make_anew(scene.people)
    scene.rebuild_elsewhere()
    assert scene.order() == list(NEWCOMERS)
    assert not list(scene.contradictions())


def test_a_signup_cut_off_on_a_list_that_is_being_deleted_is_forgotten_with_it(
    scene: Scene,
) -> None:
    """P1: by a function that remembers the list; its intent is too young to be finished."""
    scene.warm_up()
    assert Scene(scene.stores).people.delete_waitlist().status == 204
    scene.world.clock.advance(25)
    scene.wire.arm(0, faults.crash_after)
    with suppress(Crash):
        scene.people.sign_up("gus", key="gus")
    scene.wire.disarm()
    assert list(scene.records()) == ["gus"]
    scene.world.clock.advance(36)
    scene.world.services.maintenance.run_all()
    assert leftovers(scene.stores) == []


@pytest.mark.parametrize("ending", ["signup", "leave"])
def test_a_request_that_the_deletion_overtakes_leaves_no_trace(scene: Scene, ending: str) -> None:
    """P1, P3: it ends while people sign up to the next waitlist of the same id."""
    line_with_eve(scene)
    scene.warm_up()
    people = scene.people
    other = Scene(scene.stores)

    def request() -> None:
        answer = people.sign_up("gus", key="gus") if ending == "signup" else people.leave("eve")
        assert answer.status in (201, 204, 404, 409, 503), answer

    def delete_and_make_anew() -> None:
        assert other.people.delete_waitlist().status == 204
        other.world.services.maintenance.run_one("bakery")
        if other.people.configure().status == 201:
            other.people.sign_up("fay", key="anew-fay")

    def strike() -> Fault:
        return faults.before(delete_and_make_anew)

    for where in struck(scene, scene.stores.snapshot(), request, strike):
        delete_wholly(scene)
        if people.configure().status == 201:
            people.sign_up("fay", key="anew-fay")
        scene.rebuild_elsewhere()
        assert scene.order() == ["fay"], where
        assert set(scene.records()) == {"fay"}, where


def test_a_maintainer_who_comes_late_does_not_delete_the_next_waitlist(scene: Scene) -> None:
    """P3: its lease ran out, another has deleted the list, and people have signed up anew."""
    line_with_eve(scene)
    scene.people.delete_waitlist()
    other = Scene(scene.stores)

    def overtake() -> None:
        for _ in range(MINUTES_TO_DELETE):
            other.maintain_elsewhere(minutes=10)
        other.world.clock.advance(3600)
        make_anew(other.people)

    where = ""
    for where in struck(
        scene, scene.stores.snapshot(), scene.world.maintain, lambda: faults.before(overtake)
    ):
        scene.world.maintain()
        scene.rebuild_elsewhere()
        assert scene.order() == list(NEWCOMERS), where
        assert not list(scene.contradictions()), where
    assert where


def test_while_a_waitlist_is_deleted_its_id_is_taken(scene: Scene) -> None:
    line_with_eve(scene)
    scene.people.delete_waitlist()
    assert scene.people.configure().code == "waitlist_deleting"
    assert scene.people.sign_up("fay").code == "waitlist_not_found"
    assert scene.people.look("ann").code == "waitlist_not_found"
    delete_wholly(scene)
    make_anew(scene.people)
    assert scene.order() == list(NEWCOMERS)


def test_people_of_other_waitlists_stay(scene: Scene) -> None:
    """P3: deleting one list, with intents of both on record."""
    eve_is_joining(scene)
    other = People(scene.world, "coffee")
    assert other.configure().status == 201
    other.all_sign_up(*WITH_EVE)
    assert other.delete_waitlist().status == 204
    delete_wholly(scene)
    assert scene.order() == [*LINE, "eve"]
    assert not list(scene.contradictions())
