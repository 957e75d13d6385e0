"""Interrupts a rebuild of the queue at each step, runs it twice, or sends other requests in
between.

Afterwards, the queue in Redis must be complete.
"""

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
from tests.support.services import MaintenanceServices
from tests.support.snapshot import Snapshot
from tests.support.world import CONFIG, RedisClock
from waitlist_api.maintenance.rebuild import SETTLED_MILLIS
from waitlist_api.records.lease import LEASE_MILLIS
from waitlist_queue import keys
from waitlist_shared.ranks import ticket_at

SECOND = 1
# The step in which a signup asks Redis for a place when the customer's earlier entry was erased.
BEFORE_THE_PLACE = 7
LEASE_SECONDS = LEASE_MILLIS / 1000
Outcome = Callable[[FaultFixture], list[str]]


@pytest.fixture
def lost(fixture: FaultFixture) -> Snapshot:
    line_with_eve(fixture)
    fixture.flush()
    return fixture.stores.snapshot()


def problems_with_faults(
    stores: Stores, lost: Snapshot, inject: Callable[[FaultFixture], Fault], outcome: Outcome
) -> str:
    return at_each_step(stores, lost, FaultFixture.maintain_one, inject, outcome)


def unless_cold(fixture: FaultFixture) -> list[str]:
    """Return no problems if the queue is marked as incomplete, because the service does not use
    such a queue (promise P7).
    """
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
def test_the_next_run_completes_an_interrupted_rebuild(
    stores: Stores, lost: Snapshot, fault: Fault
) -> None:
    """After a crash at any step of a rebuild, the queue is complete or is marked as incomplete.

    The next run completes it (promises P3 and P7).
    """
    wrong = problems_with_faults(stores, lost, lambda _: fault, after_another_run)
    assert not wrong, wrong


def test_a_rebuild_is_not_declared_complete_if_redis_is_lost_meanwhile(
    stores: Stores, lost: Snapshot
) -> None:
    """P3 P7"""
    wrong = problems_with_faults(
        stores, lost, lambda fixture: faults.before(fixture.flush), after_another_run
    )
    assert not wrong, wrong


def test_an_outdated_rebuild_does_not_complete_the_next_rebuild(
    stores: Stores, lost: Snapshot
) -> None:
    """If Redis loses its data again during a rebuild, a second rebuild may start.

    The first rebuild must then not mark the queue as complete (promises P3 and P7).
    """

    def inject(fixture: FaultFixture) -> Fault:
        other = FaultFixture(fixture.stores).people

        def lose_and_look() -> None:
            fixture.flush()
            assert other.poll("ann").code == "rebuilding"

        return faults.before(lose_and_look)

    wrong = problems_with_faults(stores, lost, inject, after_another_run)
    assert not wrong, wrong


@pytest.mark.parametrize("minutes", [0, 10])
def test_two_rebuilds_at_once_do_no_harm(stores: Stores, lost: Snapshot, minutes: int) -> None:
    """Two rebuilds never run at once (promise P3).

    While one rebuild is running, a second one does nothing. If the first has not finished when its
    lease expires, the second restores the whole queue.
    """

    def inject(fixture: FaultFixture) -> Fault:
        return faults.before(lambda: fixture.maintain_elsewhere(minutes))

    wrong = problems_with_faults(stores, lost, inject, after_another_run)
    assert not wrong, wrong


# Requests that change Redis first and are recorded in DynamoDB afterwards.
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


@pytest.mark.parametrize(
    ("decision", "beats"),
    [
        ("a signup", 0),
        ("an import", 1),
        ("a reinstatement", 0),
        ("a move", 1),
        ("a claim", 0),
        ("a leave", 0),
        ("a leave", 1),
        ("an erasure", 1),
    ],
)
def test_a_decision_that_is_recorded_only_after_the_rebuild_is_found(
    fixture: FaultFixture, decision: str, beats: int
) -> None:
    """A request changes the queue, but DynamoDB records the change only after a rebuild. The next
    run of maintenance corrects the queue (promise P3).
    """
    line_with_eve(fixture)
    assert fixture.people.remove("eve").status == 204
    for _ in range(beats):
        fixture.world.maintain()
    fixture.warm_up()
    before = fixture.stores.snapshot()
    decide = DECISIONS[decision]
    decide(fixture)
    wrong = []
    for step in fixture.wire.different_steps:
        fixture.stores.restore(before)
        fixture.warm_up()
        fixture.wire.arm(step, faults.before(fixture.rebuild_elsewhere))
        decide(fixture)
        fixture.world.maintain()
        wrong += [f"step {step}: {problem}" for problem in fixture.contradictions()]
    assert not wrong, wrong


def test_people_join_and_leave_while_the_order_is_rebuilt(stores: Stores, lost: Snapshot) -> None:
    """During a rebuild, new people join at the end of the queue, and people who have left do not
    come back (promises P1, P3 and P6).
    """

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

    wrong = problems_with_faults(stores, lost, inject, outcome)
    assert not wrong, wrong


def test_a_delayed_rebuild_keeps_later_changes(stores: Stores, lost: Snapshot) -> None:
    """If another run completes the queue while a rebuild is delayed, the delayed rebuild does not
    undo later changes (promise P3).
    """

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

    wrong = problems_with_faults(stores, lost, inject, outcome)
    assert not wrong, wrong


def test_no_run_rebuilds_while_another_holds_the_lease(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """Only one run at a time may rebuild the queue. If that run crashes, responses contain no
    position until its lease expires (promise P7).
    """
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


def test_a_rebuild_stops_after_another_run_has_taken_its_lease(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """A run is delayed until its lease expires, and another run takes the lease. The delayed run
    stops, so the two runs never rebuild the queue at once (promise P3).
    """
    world = fixture.world
    records = world.services.waitlist_records

    def lose_the_lease(_: float) -> None:
        world.clock.advance(LEASE_SECONDS + SECOND)
        now_millis, waitlist = world.clock.now_millis(), records.get("bakery")
        assert waitlist
        assert records.take_lease(waitlist, "another", now_millis, now_millis + LEASE_MILLIS)

    rebuilder = MaintenanceServices.on(
        CONFIG, fixture.stores.dynamodb, world.lambda_, world.clock.now_millis, lose_the_lease
    )
    rebuilder.maintenance.run_one("bakery")
    assert fixture.people.poll("ann").code == "rebuilding"
    world.clock.advance(LEASE_SECONDS + SECOND)
    world.maintenance.run_all()
    assert fixture.order() == list(WITH_EVE)


def test_requests_that_need_the_order_wait_for_the_rebuild(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """After Redis has lost the queue, requests that need it get a 503 with `Retry-After`, and never
    a wrong position (promise P7).
    """
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


def test_a_signup_during_a_rebuild_gets_a_place_without_a_position(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """The response to a signup during a rebuild contains no position, but a later response does
    (promises P1 and P7).
    """
    answer = fixture.people.sign_up("zoe", key="zoe")
    assert (answer.status, answer.json["status"]) == (201, "waiting")
    assert (answer.json["position"], answer.json["total"]) == (None, None)
    fixture.world.maintain()
    assert fixture.people.poll("zoe").json["position"] == len(WITH_EVE) + 1


def test_a_new_server_whose_clock_is_behind_adds_entries_at_the_end(fixture: FaultFixture) -> None:
    """A new Redis server's clock may be behind. Its ticket numbers are still higher than all
    earlier ones, so new entries are at the end of the queue (promise P1).
    """
    in_an_hour = ticket_at(datetime.now(UTC) + timedelta(hours=1))
    fixture.stores.redis.hset(keys.meta("bakery"), "last_ticket", in_an_hour)
    line_with_eve(fixture)
    fixture.flush()
    assert fixture.people.sign_up("zoe", key="zoe").status == 201
    fixture.world.maintain()
    assert fixture.people.sign_up("fay", key="fay").json["position"] == len(WITH_EVE) + 2
    assert fixture.order() == [*WITH_EVE, "zoe", "fay"]
    assert not list(fixture.contradictions())


def test_the_first_request_that_finds_redis_cold_starts_a_rebuild(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """The first customer who polls after the queue is lost starts a rebuild, without waiting for
    the next scheduled run of maintenance (promise P7).
    """
    assert fixture.people.poll("ann").status == 503
    assert fixture.world.lambda_.started == [{"waitlist_id": "bakery"}]
    fixture.world.maintenance.run_one("bakery")
    assert fixture.people.poll("ann").json["position"] == 1


def test_a_signup_between_the_passes_of_a_rebuild_gets_a_new_place(stores: Stores) -> None:
    """A customer who has left signs up again during a rebuild. The rebuild may read the old place
    from an outdated index, but the customer gets a new place at the end (promise P1).
    """
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


def test_a_late_index_does_not_restore_an_erased_entry(
    fixture: FaultFixture, stores: Stores
) -> None:
    """A rebuild that finds an erased entry in an outdated index does not restore it, because the
    record no longer exists (promise P7).
    """
    line_with_eve(fixture)
    fixture.world.advance(3_600)
    fixture.world.maintain()
    assert fixture.people.erase("eve").status == 204
    fixture.world.maintain()
    fixture.flush()
    stores.dynamodb.fall_behind(writes=2)
    fixture.world.maintenance.run_one("bakery")
    assert fixture.order() == list(LINE)


def test_a_late_index_does_not_give_the_place_of_an_erased_stay_to_the_next_stay(
    fixture: FaultFixture, stores: Stores
) -> None:
    """An outdated index may still list an erased entry. If the customer has signed up again, a
    rebuild must not give the new signup the erased entry's place (promise P1).
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


def test_a_late_index_does_not_restore_a_hold_whose_end_was_recorded_late(
    stores: Stores,
) -> None:
    """A release is recorded two hours late. A rebuild that reads an outdated index must not bring
    the released claim back (promise P7).
    """
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


def test_the_second_pass_waits_for_the_index(fixture: FaultFixture) -> None:
    """A rebuild waits at least two seconds before it reads all records a second time, because
    DynamoDB's index may lag behind (promise P3).
    """
    line_with_eve(fixture)
    fixture.flush()
    before_millis = fixture.world.clock.now_millis()
    fixture.world.maintenance.run_one("bakery")
    assert fixture.world.clock.now_millis() == before_millis + SETTLED_MILLIS
