"""An import is cut off or overtaken at each step, and ends in the order of its file."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from tests.reliability.faults.fixture import FaultFixture
from tests.support import faults
from tests.support.faults import Crash, Fault
from tests.support.gateway import Answer
from waitlist_api.imports import place, write_intents
from waitlist_api.records import imports

# Several rows share a `joined_at`; the last three have none.
FIRST, LATER = "2021-05-01T12:00:00Z", "2021-05-01T12:00:01Z"
TIMES = {"fay": FIRST, "gus": FIRST, "ann": FIRST, "bob": LATER, "cyd": LATER}
FILE = ("fay", "gus", "ann", "bob", "cyd", "dan", "eve", "zoe")
ROWS = [
    {"customer_id": name, **({"joined_at": TIMES[name]} if name in TIMES else {})} for name in FILE
]
TRIES = 6
# Four transactions write the intents, and four record the places.
STEPS = 12
GRAVE: dict[str, Callable[[FaultFixture], Fault]] = {
    "crash before": lambda _: faults.crash_before,
    "crash after": lambda _: faults.crash_after,
    "time-out without effect": lambda _: faults.lost,
    "time-out with effect": lambda _: faults.unheard,
    "time-out with effect, Redis lost": lambda fixture: faults.unheard_and(fixture.flush),
    "Redis lost after": lambda fixture: faults.after(fixture.flush),
    "throttled": lambda _: faults.throttled,
    "overtaken by maintenance": lambda fixture: faults.before(fixture.maintain_elsewhere),
}


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put two rows in a transaction, and run one transaction at a time, in a fixed order."""
    for module in (write_intents, imports):
        monkeypatch.setattr(module, "MAX_INTENTS", 2)
    monkeypatch.setattr(imports, "MAX_PLACES", 2)
    monkeypatch.setattr(place, "WORKERS", 1)


def attempt(fixture: FaultFixture, *names: str) -> Answer | None:
    """Import the file, or the named rows; return None if the process dies."""
    rows = [one for one in ROWS if one["customer_id"] in (names or FILE)]
    try:
        return fixture.people.bring(*rows)
    except Crash:
        return None
    finally:
        fixture.wire.disarm()


def again(fixture: FaultFixture, *names: str) -> Answer:
    """Repeat the call until it succeeds."""
    for _ in range(TRIES):
        answer = attempt(fixture, *names)
        if answer is not None and answer.status == 200:
            return answer
        if answer is not None and answer.code == "rebuilding":
            fixture.world.maintain()
    raise AssertionError(f"the last answer is {answer}")


def by_maintenance(fixture: FaultFixture) -> None:
    """Let maintenance finish the intents, in its own order."""
    fixture.world.maintain()
    fixture.world.maintain()


def in_other_calls(fixture: FaultFixture) -> None:
    """Import the file again, split at another row."""
    again(fixture, *FILE[:3])
    again(fixture, *FILE[3:])


def at_once(_: FaultFixture) -> None:
    """Do nothing: the client repeats the call at once."""


FOLLOW_UPS: dict[str, Callable[[FaultFixture], None]] = {
    "at once": at_once,
    "after maintenance": by_maintenance,
    "in other calls": in_other_calls,
}


@pytest.mark.parametrize("follow_up", FOLLOW_UPS.values(), ids=FOLLOW_UPS)
@pytest.mark.parametrize("fault", GRAVE)
def test_repeated_after_any_cut_it_ends_with_the_files_people_in_its_order(
    fixture: FaultFixture, fault: str, follow_up: Callable[[FaultFixture], None]
) -> None:
    """P1, P2, P3, P6: each entry is counted once."""
    before = fixture.stores.snapshot()
    for step in range(STEPS):
        fixture.stores.restore(before)
        fixture.warm_up()
        fixture.wire.arm(step, GRAVE[fault](fixture))
        attempt(fixture)
        follow_up(fixture)
        answer = again(fixture).json
        if fixture.is_cold():
            fixture.world.maintain()
        assert fixture.order() == list(FILE), (step, fault)
        assert not list(fixture.contradictions()), (step, fault)
        assert answer["refused"] == 0
        assert fixture.people.stats().json["signed_up"] == len(FILE), (step, fault)
        for name in FILE:
            assert fixture.people.events(name) == ["joined"], (step, fault)


def test_so_many_steps_it_has(fixture: FaultFixture) -> None:
    fixture.warm_up()
    assert fixture.people.bring(*ROWS).json["joined"] == len(FILE)
    # The other four calls read the waitlist, read the entries, draw the tickets, add the places.
    assert fixture.wire.names.count("TransactWriteItems") == 8
    assert len(fixture.wire.names) == STEPS


def test_given_up_after_any_cut_it_is_a_beginning_of_the_file(fixture: FaultFixture) -> None:
    """P3, P6: the entries that are in line have the order of the file."""
    before = fixture.stores.snapshot()
    for step in range(STEPS):
        fixture.stores.restore(before)
        fixture.warm_up()
        fixture.wire.arm(step, faults.crash_after)
        attempt(fixture)
        by_maintenance(fixture)
        order = fixture.order()
        assert order == list(FILE[: len(order)]), step
        assert not list(fixture.contradictions()), step


OTHERS: dict[str, Callable[[FaultFixture], object]] = {
    "a signup of one of them": lambda fixture: fixture.people.sign_up("eve", key="own"),
    "a signup of another customer": lambda fixture: fixture.people.sign_up("hal", key="own"),
    "a leave": lambda fixture: fixture.people.leave("ann"),
    "a removal": lambda fixture: fixture.people.erase("gus"),
    "a bump": lambda fixture: fixture.people.bump("bob", key="up", to="front"),
    "a bump by places": lambda fixture: fixture.people.bump("cyd", key="up", places=1),
    "a new capacity": lambda fixture: fixture.people.configure(capacity=5),
    "new segments": lambda fixture: fixture.people.configure(segments=[["language"]]),
    "a claim": lambda fixture: fixture.world.request(
        "POST", f"{fixture.people.admin_path}/claims", body={"count": 2}, operator=True
    ),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_entries_untouched_by_another_request_keep_the_order_of_the_file(
    fixture: FaultFixture, other: Callable[[FaultFixture], object]
) -> None:
    """P1, P2, P6: the other request comes before any step."""
    before = fixture.stores.snapshot()
    for step in range(STEPS):
        fixture.stores.restore(before)
        fixture.warm_up()
        elsewhere = FaultFixture(fixture.stores)
        elsewhere.people.names["hal"] = elsewhere.people.id_of("hal")
        fixture.people.id_of("hal")
        fixture.wire.arm(step, faults.before(partial(other, elsewhere)))
        attempt(fixture)
        by_maintenance(fixture)
        moved = {"hal", "eve", "bob", "cyd"}
        order = [name for name in fixture.order() if name not in moved]
        assert order == [name for name in FILE if name in order and name not in moved], step
        assert not list(fixture.contradictions()), step


def test_a_rejoined_entry_is_claimed_before_its_import_is_recorded(
    fixture: FaultFixture,
) -> None:
    """P1, P6: a ticket older than the end of the former stay does not belong to that stay."""
    fixture.people.all_sign_up("ann", "bob")
    assert fixture.people.leave("ann").status == 204
    fixture.warm_up()
    fixture.wire.arm(4, faults.crash_after)
    with pytest.raises(Crash):
        fixture.people.bring({"customer_id": "ann", "joined_at": FIRST}, ended="rejoin")
    fixture.wire.disarm()
    assert fixture.order() == ["ann", "bob"]
    path = f"{fixture.people.admin_path}/claims"
    given = fixture.world.request("POST", path, body={"count": 1}, operator=True).json["claims"]
    assert [one["entry_id"] for one in given] == [fixture.people.id_of("ann")]
    assert fixture.order() == ["bob"]


def test_the_same_call_twice_at_once_ends_as_one(fixture: FaultFixture) -> None:
    """P2: a client that got no answer repeats the call while the first is still running."""
    before = fixture.stores.snapshot()
    for step in range(STEPS):
        fixture.stores.restore(before)
        fixture.warm_up()
        elsewhere = FaultFixture(fixture.stores)
        fixture.wire.arm(step, faults.before(partial(attempt, elsewhere)))
        answer = attempt(fixture)
        assert answer is not None
        assert (answer.status, answer.json["refused"]) == (200, 0), (step, answer.text)
        assert fixture.order() == list(FILE), step
        assert not list(fixture.contradictions()), step
        assert fixture.people.stats().json["signed_up"] == len(FILE), step


def bring_undated(fixture: FaultFixture) -> None:
    with suppress(Crash):
        fixture.people.bring(*({"customer_id": name} for name in FILE))


@pytest.mark.parametrize("cut", range(3, 8))
def test_of_two_copies_that_go_on_in_turns_neither_comes_ahead_of_the_other(
    fixture: FaultFixture, cut: int
) -> None:
    """P1: a call that finds an intent of the other call draws new tickets for its other rows."""
    before = fixture.stores.snapshot()
    for step in range(STEPS):
        fixture.stores.restore(before)
        fixture.warm_up()
        other = FaultFixture(fixture.stores)
        other.warm_up()
        other.wire.arm(cut, faults.crash_before)
        fixture.wire.arm(step, faults.before(partial(bring_undated, other)))
        bring_undated(fixture)
        fixture.wire.disarm()
        bring_undated(fixture)
        assert fixture.order() == list(FILE), step
        assert not list(fixture.contradictions()), step


def test_a_lost_redis_has_them_again_where_they_stood(fixture: FaultFixture) -> None:
    """P3: also the entry that stands behind others with the same `joined_at`."""
    again(fixture)
    fixture.people.bring({"customer_id": "hal", "joined_at": FIRST})
    order = fixture.order()
    assert order == ["fay", "gus", "ann", "hal", "bob", "cyd", "dan", "eve", "zoe"]
    times = [fixture.people.look(name).json["joined_at"] for name in order[:6]]
    fixture.rebuild_elsewhere()
    assert fixture.order() == order
    assert [fixture.people.look(name).json["joined_at"] for name in order[:6]] == times
    assert times[:4] == ["2021-05-01T12:00:00.000Z"] * 4
    fixture.people.sign_up("ida", key="k")
    assert fixture.order() == [*order, "ida"]
    assert not list(fixture.contradictions())


def test_imports_that_a_lagging_replica_lacks_are_found(fixture: FaultFixture) -> None:
    """P3: the journal has them at the stamp of the import, however old their tickets are."""
    fixture.world.maintain()
    again(fixture)
    order = fixture.order()
    for name in ("gus", "cyd", "eve"):
        fixture.people.lose_place(name)
    fixture.world.maintain()
    assert fixture.order() == order
    assert not list(fixture.contradictions())
