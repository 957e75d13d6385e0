"""An import of several transactions, cut off anywhere or met by others, ends as its file has it."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from tests.reliability.faults.scene import Scene
from tests.support import faults
from tests.support.faults import Crash, Fault
from tests.support.gateway import Answer
from waitlist_api.imports import place, write_intents
from waitlist_api.records import imports

# Two of one time, then later ones; then those without a time.
FIRST, LATER = "2021-05-01T12:00:00Z", "2021-05-01T12:00:01Z"
TIMES = {"fay": FIRST, "gus": FIRST, "ann": FIRST, "bob": LATER, "cyd": LATER}
FILE = ("fay", "gus", "ann", "bob", "cyd", "dan", "eve", "zoe")
ROWS = [
    {"customer_id": name, **({"joined_at": TIMES[name]} if name in TIMES else {})} for name in FILE
]
TRIES = 6
# The intents are written in four transactions, the places recorded in four.
STEPS = 12
GRAVE: dict[str, Callable[[Scene], Fault]] = {
    "crash before": lambda _: faults.crash_before,
    "crash after": lambda _: faults.crash_after,
    "time-out without effect": lambda _: faults.lost,
    "time-out with effect": lambda _: faults.unheard,
    "time-out with effect, Redis lost": lambda scene: faults.unheard_and(scene.flush),
    "Redis lost after": lambda scene: faults.after(scene.flush),
    "throttled": lambda _: faults.throttled,
    "overtaken by maintenance": lambda scene: faults.before(scene.maintain_elsewhere),
}


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two people in a transaction, one transaction at a time: their order is known."""
    for module in (write_intents, imports):
        monkeypatch.setattr(module, "MAX_INTENTS", 2)
    monkeypatch.setattr(imports, "MAX_PLACES", 2)
    monkeypatch.setattr(place, "WORKERS", 1)


def attempt(scene: Scene, *names: str) -> Answer | None:
    """Import the file, or some of it; there is no answer from a process that dies."""
    rows = [one for one in ROWS if one["customer_id"] in (names or FILE)]
    try:
        return scene.people.bring(*rows)
    except Crash:
        return None
    finally:
        scene.wire.disarm()


def again(scene: Scene, *names: str) -> Answer:
    """Repeat the call until it is answered."""
    for _ in range(TRIES):
        answer = attempt(scene, *names)
        if answer is not None and answer.status == 200:
            return answer
        if answer is not None and answer.code == "rebuilding":
            scene.world.maintain()
    raise AssertionError(f"the last answer is {answer}")


def by_maintenance(scene: Scene) -> None:
    """Leave the intents to maintenance, which takes them in an order of its own."""
    scene.world.maintain()
    scene.world.maintain()


def in_other_calls(scene: Scene) -> None:
    """Repeat the file in calls that begin elsewhere."""
    again(scene, *FILE[:3])
    again(scene, *FILE[3:])


def nobody(_: Scene) -> None:
    """The client repeats the call at once."""


MEANWHILE: dict[str, Callable[[Scene], None]] = {
    "at once": nobody,
    "after maintenance": by_maintenance,
    "in other calls": in_other_calls,
}


@pytest.mark.parametrize("meanwhile", MEANWHILE.values(), ids=MEANWHILE)
@pytest.mark.parametrize("fault", GRAVE)
def test_repeated_after_any_cut_it_ends_with_the_files_people_in_its_order(
    scene: Scene, fault: str, meanwhile: Callable[[Scene], None]
) -> None:
    """P1, P2, P3, P6: and each is counted once."""
    before = scene.stores.snapshot()
    for step in range(STEPS):
        scene.stores.restore(before)
        scene.warm_up()
        scene.wire.arm(step, GRAVE[fault](scene))
        attempt(scene)
        meanwhile(scene)
        told = again(scene).json
        if scene.is_cold():
            scene.world.maintain()
        assert scene.order() == list(FILE), (step, fault)
        assert not list(scene.contradictions()), (step, fault)
        assert told["refused"] == 0
        assert scene.people.stats().json["signed_up"] == len(FILE), (step, fault)
        for name in FILE:
            assert scene.people.events(name) == ["joined"], (step, fault)


def test_so_many_steps_it_has(scene: Scene) -> None:
    scene.warm_up()
    assert scene.people.bring(*ROWS).json["joined"] == len(FILE)
    # One to read the waitlist, one the people, one to draw their tickets, one to place them.
    assert scene.wire.names.count("TransactWriteItems") == 8
    assert len(scene.wire.names) == STEPS


def test_given_up_after_any_cut_it_is_a_beginning_of_the_file(scene: Scene) -> None:
    """P3, P6: whoever is in line without the others stands there as the file says."""
    before = scene.stores.snapshot()
    for step in range(STEPS):
        scene.stores.restore(before)
        scene.warm_up()
        scene.wire.arm(step, faults.crash_after)
        attempt(scene)
        by_maintenance(scene)
        order = scene.order()
        assert order == list(FILE[: len(order)]), step
        assert not list(scene.contradictions()), step


OTHERS: dict[str, Callable[[Scene], object]] = {
    "a signup of one of them": lambda scene: scene.people.sign_up("eve", key="own"),
    "a signup of somebody else": lambda scene: scene.people.sign_up("hal", key="own"),
    "a leave": lambda scene: scene.people.leave("ann"),
    "a removal": lambda scene: scene.people.erase("gus"),
    "a bump": lambda scene: scene.people.bump("bob", key="up", to="front"),
    "a bump by places": lambda scene: scene.people.bump("cyd", key="up", places=1),
    "a new capacity": lambda scene: scene.people.configure(capacity=5),
    "new segments": lambda scene: scene.people.configure(segments=[["language"]]),
    "a claim": lambda scene: scene.world.request(
        "POST", f"{scene.people.admin_path}/claims", body={"count": 2}, operator=True
    ),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_whatever_another_request_does_meanwhile_the_others_keep_the_files_order(
    scene: Scene, other: Callable[[Scene], object]
) -> None:
    """P1, P2, P6: at each step."""
    before = scene.stores.snapshot()
    for step in range(STEPS):
        scene.stores.restore(before)
        scene.warm_up()
        elsewhere = Scene(scene.stores)
        elsewhere.people.names["hal"] = elsewhere.people.id_of("hal")
        scene.people.id_of("hal")
        scene.wire.arm(step, faults.before(partial(other, elsewhere)))
        attempt(scene)
        by_maintenance(scene)
        moved = {"hal", "eve", "bob", "cyd"}
        order = [name for name in scene.order() if name not in moved]
        assert order == [name for name in FILE if name in order and name not in moved], step
        assert not list(scene.contradictions()), step


def test_whom_an_import_has_brought_back_is_given_out_before_it_is_recorded(scene: Scene) -> None:
    """P1, P6: a ticket that is older than the last stay's end is not that stay's."""
    scene.people.all_sign_up("ann", "bob")
    assert scene.people.leave("ann").status == 204
    scene.warm_up()
    scene.wire.arm(4, faults.crash_after)
    with pytest.raises(Crash):
        scene.people.bring({"customer_id": "ann", "joined_at": FIRST}, ended="rejoin")
    scene.wire.disarm()
    assert scene.order() == ["ann", "bob"]
    path = f"{scene.people.admin_path}/claims"
    given = scene.world.request("POST", path, body={"count": 1}, operator=True).json["claims"]
    assert [one["entry_id"] for one in given] == [scene.people.id_of("ann")]
    assert scene.order() == ["bob"]


def test_the_same_call_twice_at_once_ends_as_one(scene: Scene) -> None:
    """P2: a client that did not hear the first repeats it while it is still under way."""
    before = scene.stores.snapshot()
    for step in range(STEPS):
        scene.stores.restore(before)
        scene.warm_up()
        elsewhere = Scene(scene.stores)
        scene.wire.arm(step, faults.before(partial(attempt, elsewhere)))
        told = attempt(scene)
        assert told is not None
        assert (told.status, told.json["refused"]) == (200, 0), (step, told.text)
        assert scene.order() == list(FILE), step
        assert not list(scene.contradictions()), step
        assert scene.people.stats().json["signed_up"] == len(FILE), step


def bring_undated(scene: Scene) -> None:
    with suppress(Crash):
        scene.people.bring(*({"customer_id": name} for name in FILE))


@pytest.mark.parametrize("cut", range(3, 8))
def test_of_two_copies_that_go_on_in_turns_neither_comes_ahead_of_the_other(
    scene: Scene, cut: int
) -> None:
    """P1: whoever meets what the other has written draws new tickets for the rest."""
    before = scene.stores.snapshot()
    for step in range(STEPS):
        scene.stores.restore(before)
        scene.warm_up()
        other = Scene(scene.stores)
        other.warm_up()
        other.wire.arm(cut, faults.crash_before)
        scene.wire.arm(step, faults.before(partial(bring_undated, other)))
        bring_undated(scene)
        scene.wire.disarm()
        bring_undated(scene)
        assert scene.order() == list(FILE), step
        assert not list(scene.contradictions()), step


def test_a_lost_redis_has_them_again_where_they_stood(scene: Scene) -> None:
    """P3: also those who stand behind others of their time."""
    again(scene)
    scene.people.bring({"customer_id": "hal", "joined_at": FIRST})
    order = scene.order()
    assert order == ["fay", "gus", "ann", "hal", "bob", "cyd", "dan", "eve", "zoe"]
    times = [scene.people.look(name).json["joined_at"] for name in order[:6]]
    scene.rebuild_elsewhere()
    assert scene.order() == order
    assert [scene.people.look(name).json["joined_at"] for name in order[:6]] == times
    assert times[:4] == ["2021-05-01T12:00:00.000Z"] * 4
    scene.people.sign_up("ida", key="k")
    assert scene.order() == [*order, "ida"]
    assert not list(scene.contradictions())


def test_imports_that_a_lagging_replica_lacks_are_found(scene: Scene) -> None:
    """P3: by the journal, at the stamp at which they came, however old their tickets are."""
    scene.world.maintain()
    again(scene)
    order = scene.order()
    for name in ("gus", "cyd", "eve"):
        scene.people.lose_place(name)
    scene.world.maintain()
    assert scene.order() == order
    assert not list(scene.contradictions())
