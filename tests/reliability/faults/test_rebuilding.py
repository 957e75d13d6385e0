"""A rebuild is cut off, doubled or overtaken at each step, and the order is complete again."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from tests.reliability.faults.fixture import (
    LINE,
    WITH_EVE,
    FaultFixture,
    Stores,
    at_each_step,
    line_with_eve,
)
from tests.support import faults
from tests.support.faults import Crash, Fault
from tests.support.gateway import Answer
from tests.support.snapshot import Snapshot
from tests.support.world import CONFIG, RedisClock
from waitlist_api.maintenance.rebuild import SETTLED_MILLIS
from waitlist_api.maintenance.services import MaintenanceServices
from waitlist_api.records.lease import LEASE_MILLIS
from waitlist_queue import keys
from waitlist_shared.ranks import ticket_at

SECOND = 1
# The step of a signup over an unfinished erasure that asks Redis for the place.
BEFORE_THE_PLACE = 7
LEASE_SECONDS = LEASE_MILLIS / 1000
Outcome = Callable[[FaultFixture], list[str]]


@pytest.fixture
def lost(fixture: FaultFixture) -> Snapshot:
    """Return a state with five waiting entries whose order Redis has lost."""
    line_with_eve(fixture)
    fixture.flush()
    return fixture.stores.snapshot()


def rebuilds(
    stores: Stores, lost: Snapshot, inject: Callable[[FaultFixture], Fault], outcome: Outcome
) -> str:
    """Rebuild once per different step, with a fault injected at that step; return all problems."""
    return at_each_step(stores, lost, FaultFixture.maintain_one, inject, outcome)


def unless_cold(fixture: FaultFixture) -> list[str]:
    """Return the problems of the order; an order that is not warm has none (P7)."""
    if fixture.is_cold():
        return []
    return [*([] if fixture.order() == list(WITH_EVE) else [f"the order is {fixture.order()}"])]


def after_another_run(fixture: FaultFixture) -> list[str]:
    early = unless_cold(fixture)
    fixture.world.maintain()
    if fixture.order() != list(WITH_EVE):
        early.append(f"the order is {fixture.order()} after another run")
    return [*early, *fixture.contradictions()]


@pytest.mark.parametrize("fault", [faults.crash_after, faults.unheard])
def test_a_rebuild_that_is_cut_off_is_done_by_the_next_run(
    stores: Stores, lost: Snapshot, fault: Fault
) -> None:
    """P3, P7: after a crash at any step the order is complete, or marked as incomplete."""
    wrong = rebuilds(stores, lost, lambda _: fault, after_another_run)
    assert not wrong, wrong


def test_a_rebuild_during_which_redis_is_lost_again_is_never_declared_complete(
    stores: Stores, lost: Snapshot
) -> None:
    """P3, P7: even if Redis is lost just before the rebuild marks the order complete."""
    wrong = rebuilds(stores, lost, lambda fixture: faults.before(fixture.flush), after_another_run)
    assert not wrong, wrong


def test_a_rebuild_that_redis_outlived_does_not_speak_for_the_next(
    stores: Stores, lost: Snapshot
) -> None:
    """P3, P7: Redis is lost again, and a customer's request opens the next rebuild."""

    def inject(fixture: FaultFixture) -> Fault:
        other = FaultFixture(fixture.stores).people

        def lose_and_look() -> None:
            fixture.flush()
            assert other.poll("ann").code == "rebuilding"

        return faults.before(lose_and_look)

    wrong = rebuilds(stores, lost, inject, after_another_run)
    assert not wrong, wrong


@pytest.mark.parametrize("minutes", [0, 10])
def test_a_rebuild_beside_another_changes_nothing(
    stores: Stores, lost: Snapshot, minutes: int
) -> None:
    """P3: the other run finds the lease taken, or expired and then rebuilds everything."""

    def inject(fixture: FaultFixture) -> Fault:
        return faults.before(lambda: fixture.maintain_elsewhere(minutes))

    wrong = rebuilds(stores, lost, inject, after_another_run)
    assert not wrong, wrong


# Requests for which Redis decides first, and which the record hears of afterwards.
DECISIONS: dict[str, Callable[[FaultFixture], Answer]] = {
    "a signup": lambda fixture: fixture.people.sign_up("zoe", key="zoe"),
    "an import": lambda fixture: fixture.people.bring(
        {"customer_id": "fay"}, {"customer_id": "gus"}
    ),
    "a reinstatement": lambda fixture: fixture.people.reinstate("eve"),
    "a move": lambda fixture: fixture.people.bump("dan", key="up", to="front"),
    "a claim": lambda fixture: fixture.people.claim(),
    "a leave": lambda fixture: fixture.people.leave("bob"),
    "an erasure": lambda fixture: fixture.people.erase("bob"),
}


@pytest.mark.parametrize("beats", [0, 1])
@pytest.mark.parametrize("decision", DECISIONS.values(), ids=DECISIONS)
def test_a_decision_of_the_lost_order_is_found_if_it_is_recorded_after_the_rebuild(
    fixture: FaultFixture, decision: Callable[[FaultFixture], Answer], beats: int
) -> None:
    """P3: by the next run of maintenance, since the list may then rest for hours.

    Before the loss maintenance has compared the list as many times as there are beats.
    """
    line_with_eve(fixture)
    assert fixture.people.remove("eve").status == 204
    for _ in range(beats):
        fixture.world.maintain()
    fixture.warm_up()
    before = fixture.stores.snapshot()
    decision(fixture)
    wrong = []
    for step in fixture.wire.different_steps:
        fixture.stores.restore(before)
        fixture.warm_up()
        fixture.wire.arm(step, faults.before(fixture.rebuild_elsewhere))
        decision(fixture)
        fixture.world.maintain()
        wrong += [f"step {step}: {problem}" for problem in fixture.contradictions()]
    assert not wrong, wrong


def test_people_come_and_go_while_their_line_is_rebuilt(stores: Stores, lost: Snapshot) -> None:
    """P1, P3, P6: a new entry stands behind all others, an ended one does not return."""

    def inject(fixture: FaultFixture) -> Fault:
        other = FaultFixture(fixture.stores).people

        def come_and_go() -> None:
            assert other.sign_up("zoe", key="zoe").status == 201
            assert other.leave("bob").status == 204
            assert other.leave("eve").status == 204
            assert other.sign_up("eve", key="again").status == 201
            assert other.erase("cyd").status == 204

        return faults.before(come_and_go)

    def outcome(fixture: FaultFixture) -> list[str]:
        fixture.world.maintain()
        order = fixture.order()
        unlike = [] if order == ["ann", "dan", "zoe", "eve"] else [f"the order is {order}"]
        return [*unlike, *fixture.contradictions()]

    wrong = rebuilds(stores, lost, inject, outcome)
    assert not wrong, wrong


def test_moves_between_two_rebuilders_hold(stores: Stores, lost: Snapshot) -> None:
    """P3: a delayed rebuild does not undo changes made after another run rebuilt the order."""

    def inject(fixture: FaultFixture) -> Fault:
        other = FaultFixture(fixture.stores).people

        def rebuild_and_move() -> None:
            fixture.maintain_elsewhere(minutes=10)
            assert other.bump("dan", key="dan", to="front").status == 200
            assert other.leave("bob").status == 204

        return faults.before(rebuild_and_move)

    def outcome(fixture: FaultFixture) -> list[str]:
        order = fixture.order()
        unlike = [] if order == ["dan", "ann", "cyd", "eve"] else [f"the order is {order}"]
        return [*unlike, *fixture.contradictions()]

    wrong = rebuilds(stores, lost, inject, outcome)
    assert not wrong, wrong


def test_no_run_rebuilds_while_another_holds_the_lease(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """P7: until the lease expires, no answer has a position."""
    now_millis = fixture.world.clock.now_millis()
    records = fixture.world.services.waitlist_records
    waitlist = records.get("bakery")
    assert waitlist
    assert records.take_lease(waitlist, "another", now_millis, now_millis + LEASE_MILLIS)
    fixture.world.maintenance.run_all()
    answer = fixture.people.poll("ann")
    assert (answer.status, answer.code) == (503, "rebuilding")
    fixture.world.clock.advance(LEASE_SECONDS + SECOND)
    fixture.world.maintenance.run_all()
    assert fixture.order() == list(WITH_EVE)


def test_requests_that_need_the_order_wait_for_the_rebuild(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """P7: a cold Redis answers 503 with Retry-After, never a wrong position."""
    people = fixture.people
    answers = [
        people.poll("ann"),
        people.poll("ann"),
        people.page(),
        people.stats(),
        people.bump("ann", key="k", places=1),
        people.sign_up("ann", key="signup-ann"),
        fixture.world.request("GET", people.path),
    ]
    assert [(one.status, one.code, one.headers.get("retry-after")) for one in answers] == [
        (503, "rebuilding", "2")
    ] * len(answers)


def test_a_signup_during_a_rebuild_has_its_place_but_no_position_yet(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """P1, P7: the signup succeeds, and a later answer has the position."""
    answer = fixture.people.sign_up("zoe", key="zoe")
    assert (answer.status, answer.json["status"]) == (201, "waiting")
    assert (answer.json["position"], answer.json["total"]) == (None, None)
    fixture.world.maintain()
    assert fixture.people.poll("zoe").json["position"] == len(WITH_EVE) + 1


def test_a_new_server_whose_clock_is_behind_adds_entries_at_the_end(fixture: FaultFixture) -> None:
    """P1: new tickets are higher than acknowledged ones, whatever the clock says."""
    in_an_hour = ticket_at(datetime.now(UTC) + timedelta(hours=1))
    fixture.stores.redis.hset(keys.meta("bakery"), "last_ticket", in_an_hour)
    line_with_eve(fixture)
    fixture.flush()
    assert fixture.people.sign_up("zoe", key="zoe").status == 201
    fixture.world.maintain()
    assert fixture.people.sign_up("fay", key="fay").json["position"] == len(WITH_EVE) + 2
    assert fixture.order() == [*WITH_EVE, "zoe", "fay"]
    assert not list(fixture.contradictions())


def test_the_first_to_find_redis_cold_has_it_rebuilt_at_once(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """P7: the customer does not wait for the next scheduled maintenance."""
    assert fixture.people.poll("ann").status == 503
    assert fixture.world.lambda_.started == [{"waitlist_id": "bakery"}]
    fixture.world.maintenance.run_one("bakery")
    assert fixture.people.poll("ann").json["position"] == 1


def test_a_signup_between_the_passes_of_a_rebuild_gets_a_new_place(stores: Stores) -> None:
    """P1: the first pass finds Eve in a stale index; Eve has left and signs up again."""
    fixture = FaultFixture(stores)
    assert fixture.people.configure().status == 201
    line_with_eve(fixture)
    stores.dynamodb.freeze()
    assert fixture.people.leave("eve").status == 204
    fixture.flush()
    world = fixture.world

    def rejoin(_: float) -> None:
        assert fixture.people.sign_up("eve", key="again").status == 201
        stores.dynamodb.catch_up()

    rebuilder = MaintenanceServices.on(
        CONFIG, stores.dynamodb, world.lambda_, world.clock.now_millis, rejoin
    )
    rebuilder.maintenance.run_one("bakery")
    assert fixture.order() == [*LINE, "eve"]
    assert not list(fixture.contradictions())


def test_a_late_index_does_not_bring_back_who_was_erased(
    fixture: FaultFixture, stores: Stores
) -> None:
    """P7: the record is gone, and the journal alone knows of Eve."""
    line_with_eve(fixture)
    fixture.world.advance(3_600)
    fixture.world.maintain()
    assert fixture.people.erase("eve").status == 204
    fixture.world.maintain()
    fixture.flush()
    stores.dynamodb.fall_behind(writes=2)
    fixture.world.maintenance.run_one("bakery")
    assert fixture.order() == list(LINE)


def test_a_late_index_does_not_give_the_place_of_an_erased_stay_to_the_next(
    fixture: FaultFixture, stores: Stores
) -> None:
    """P1: Bob signs up again after the erasure, and Redis is lost before Bob has a place.

    The index shows the erased stay to the first pass, and the intent of the new stay to the second.
    """
    line_with_eve(fixture)
    stores.dynamodb.freeze()
    assert fixture.people.erase("bob").status == 204
    fixture.warm_up()
    fixture.wire.arm(BEFORE_THE_PLACE, faults.crash_before)
    with suppress(Crash):
        fixture.people.sign_up("bob", key="again")
    fixture.wire.disarm()
    assert fixture.records()["bob"]["status"] == "joining"
    fixture.flush()
    world = fixture.world
    rebuilder = MaintenanceServices.on(
        CONFIG,
        stores.dynamodb,
        world.lambda_,
        world.clock.now_millis,
        lambda _: stores.dynamodb.catch_up(),
    )
    rebuilder.maintenance.run_one("bakery")
    assert fixture.people.sign_up("bob", key="again").json["position"] == 5
    assert fixture.order() == ["ann", "cyd", "eve", "dan", "bob"]
    assert not list(fixture.contradictions())


def test_a_late_index_does_not_bring_back_a_hold_whose_end_was_recorded_late(
    stores: Stores,
) -> None:
    """P7: the journal has the change at the time of the record, not of the release."""
    fixture = FaultFixture(stores, RedisClock.standing())
    assert fixture.people.configure().status == 201
    line_with_eve(fixture)
    first, people = LINE[0], fixture.people
    assert people.claimed(lease_seconds=12 * 3_600) == [first]
    fixture.warm_up()
    fixture.wire.arm(0, faults.crash_after)
    with suppress(Crash):
        people.release(first)
    fixture.wire.disarm()
    fixture.world.advance(7_200)
    fixture.world.maintain()
    fixture.flush()
    stores.dynamodb.fall_behind(writes=1)
    fixture.world.maintenance.run_one("bakery")
    assert fixture.order() == list(WITH_EVE)


def test_the_second_pass_gives_the_index_time(fixture: FaultFixture) -> None:
    """P3: the index gets two seconds from the start of a rebuild to its second pass."""
    line_with_eve(fixture)
    fixture.flush()
    before_millis = fixture.world.clock.now_millis()
    fixture.world.maintenance.run_one("bakery")
    assert fixture.world.clock.now_millis() == before_millis + SETTLED_MILLIS
