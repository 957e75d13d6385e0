"""Tests what a maintenance run counts. The clocks stand still until a test moves them."""

from typing import Any

import pytest

from tests.deployment.deployed import deployed
from tests.support.admissions import Admissions
from tests.support.snapshot import RedisState
from tests.support.stores import empty_redis
from tests.support.world import RedisClock, World
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_api.admission.admit import Admissions as AdmissionRuns
from waitlist_api.entries.join import Joins
from waitlist_api.maintenance.audit import Auditor
from waitlist_api.maintenance.finish_intents import STUCK_MILLIS
from waitlist_api.maintenance.run_log import PARTS, TROUBLES, count_troubles
from waitlist_api.maintenance.runner import STOP_MILLIS
from waitlist_api.queue.client import QueueClient
from waitlist_shared.errors import QueueUnavailable


@pytest.fixture
def people() -> Admissions:
    world = World.on(MemoryTable(), empty_redis(), redis_clock=RedisClock.standing())
    people = Admissions(world)
    assert people.configure(lease_seconds=60, max_attempts=2).status == 201
    return people


def run(people: Admissions, after_seconds: float = 0) -> dict[str, float]:
    people.world.advance(after_seconds)
    people.world.metrics.take()
    people.world.maintenance.run_all()
    return taken(people)


def taken(people: Admissions) -> dict[str, float]:
    numbers = people.world.metrics.take()
    return {name: number for name, number in numbers.items() if name not in PARTS}


def test_counts_are_summed_and_the_oldest_person_of_all_waitlists_is_reported(
    people: Admissions,
) -> None:
    people.all_sign_up("ann", "bob", "cyd", "dan")
    people.claimed(2)
    people.park("bob")
    other = Admissions(people.world, waitlist_id="butcher")
    other.configure()
    people.world.advance(30)
    other.all_sign_up("eve")
    seen = run(people, after_seconds=10)
    assert {name: seen[name] for name in ("waitlists", "waiting", "offered", "parked")} == {
        "waitlists": 2,
        "waiting": 3,
        "offered": 1,
        "parked": 1,
    }
    # Cyd has waited longest, for just under 40 seconds. Seconds are rounded down.
    assert seen["oldest_waiting_seconds"] == 39
    assert seen["oldest_parked_seconds"] == 40
    assert seen.get("waitlists_cold", 0) == 0


def test_people_inside_are_counted_until_they_exit(people: Admissions) -> None:
    people.configure(admission={})
    people.all_sign_up("ann", "bob")
    people.admit(2)
    for name in ("ann", "bob"):
        assert people.enter(name).status == 200
    assert run(people)["inside"] == 2
    people.exit("ann")
    assert run(people)["inside"] == 1


def test_a_policy_that_cannot_run_is_overdue(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    people.configure(admission={"max_inside": 1})
    people.all_sign_up("ann")
    with monkeypatch.context() as patch:
        patch.setattr(AdmissionRuns, "run", unavailable)
        assert run(people)["admissions_overdue"] == 1
        people.configure(admission={"max_inside": 1}, paused=True)
        assert "admissions_overdue" not in run(people)
    people.configure(admission={"max_inside": 1})
    assert "admissions_overdue" not in run(people)
    assert people.status("ann") == "offered"


def test_a_policy_whose_run_has_no_time_left_is_overdue(people: Admissions) -> None:
    crowd = [f"customer-{number}" for number in range(101)]
    people.all_sign_up(*crowd)
    people.configure(admission={"max_inside": 101})
    people.world.metrics.take()
    people.world.maintenance.run_all(lambda: STOP_MILLIS - 1)
    assert taken(people)["admissions_overdue"] == 1
    assert "admissions_overdue" not in run(people)
    assert people.status(crowd[-1]) == "offered"


def test_holds_that_expire_are_counted_once(people: Admissions) -> None:
    people.all_sign_up("ann", "bob")
    people.claimed(2)
    assert run(people)["offered"] == 2
    assert run(people, after_seconds=61).get("holds_expired", 0) == 0, "it records after a minute"
    assert run(people, after_seconds=61)["holds_expired"] == 2
    assert "holds_expired" not in run(people, after_seconds=61)


def test_a_hold_that_expires_once_too_often_counts_too(people: Admissions) -> None:
    people.all_sign_up("ann")
    people.claimed(1)
    people.world.advance(61)
    people.world.metrics.take()
    assert people.claimed(1) == ["ann"]
    assert people.world.metrics.take()["holds_expired"] == 1, "the claim that saw it records it"
    counted = sum(run(people, after_seconds=61).get("holds_expired", 0) for _ in range(3))
    assert (counted, people.status("ann")) == (1, "parked")


def crash_a_signup(people: Admissions, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(QueueClient, "send", unavailable)
        assert people.sign_up(name, key=name).status == 503


def unavailable(*_: object, **__: object) -> Any:
    raise QueueUnavailable


def test_an_intent_that_is_finished_is_counted(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_a_signup(people, monkeypatch, "ann")
    assert "intents_finished" not in run(people, after_seconds=30)
    seen = run(people, after_seconds=31)
    assert seen["intents_finished"] == 1
    assert "intents_stuck" not in seen
    assert people.poll("ann").status == 200


def test_an_intent_is_stuck_that_five_minutes_do_not_finish(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    crash_a_signup(people, monkeypatch, "ann")
    crash_a_signup(people, monkeypatch, "bob")
    finishing = people.world.maintenance.intent_finisher
    with monkeypatch.context() as patch:
        patch.setattr(Joins, "finish", unavailable)
        almost = STUCK_MILLIS / 1000
        assert "intents_stuck" not in run(people, after_seconds=almost)
        assert run(people, after_seconds=1)["intents_stuck"] == 2
        assert "intents_finished" not in people.world.metrics.take()
    finishing.finish_intents()
    assert taken(people) == {"intents_finished": 2}


def test_a_rebuild_is_counted_when_it_starts_and_ends(people: Admissions) -> None:
    people.all_sign_up("ann", "bob")
    people.world.redis.flushall()
    assert people.poll("ann").code == "rebuilding"
    assert people.world.metrics.take()["cold_guards"] == 1
    seen = run(people)
    assert (seen["waitlists_cold"], seen["rebuilds_started"], seen["rebuilds_finished"]) == (
        1,
        1,
        1,
    )
    seen = run(people, after_seconds=60)
    assert "waitlists_cold" not in seen
    assert "rebuild_running_seconds" not in seen


def test_a_run_rebuilds_a_list_that_maintenance_knows_once(people: Admissions) -> None:
    people.all_sign_up("ann", "bob")
    run(people)
    people.world.redis.flushall()
    seen = run(people, after_seconds=60)
    assert (seen["rebuilds_started"], seen["rebuilds_finished"]) == (1, 1)
    assert "orders_outdated" not in seen
    assert "rebuilds_started" not in run(people, after_seconds=60)


def test_a_rebuild_that_goes_on_reports_its_duration(people: Admissions) -> None:
    """If an earlier run is still rebuilding the queue, a maintenance run reports how long the
    rebuild has taken so far.
    """
    people.all_sign_up("ann", "bob")
    people.world.redis.flushall()
    maintenance = people.world.maintenance
    people.world.metrics.take()
    maintenance.run_all(lambda: 0)
    seen = people.world.metrics.take()
    assert seen["rebuilds_started"] == 1
    assert "rebuilds_finished" not in seen
    people.world.advance(600)
    maintenance.run_all(lambda: 0)
    seen = people.world.metrics.take()
    assert seen["rebuild_running_seconds"] >= 600
    assert seen["waitlists_cold"] == 1


def test_maintenance_counts_the_losses_that_it_mends(people: Admissions) -> None:
    people.all_sign_up("ann", "bob")
    run(people)
    run(people, after_seconds=60)
    people.all_sign_up("cyd")
    people.lose_place("cyd")
    assert run(people, after_seconds=60)["losses_mended"] >= 1
    assert people.poll("cyd").json["position"] == 3


def test_only_heartbeats_that_redis_has_lost_are_counted(
    people: Admissions,
) -> None:
    """Redis may fail over to a replica that lacks the latest writes. Maintenance notices that its
    heartbeat is lost, and counts the loss in a metric (promise P7).
    """
    people.all_sign_up("ann", "bob")
    run(people)
    before = RedisState.of(people.world.redis)
    assert "beats_lost" not in run(people, after_seconds=60)
    before.restore(people.world.redis)
    seen = run(people, after_seconds=60)
    assert (seen["beats_lost"], seen["beats_missed"]) == (1, 0)
    assert "beats_lost" not in run(people, after_seconds=60)


def test_an_order_that_has_lost_two_beats_is_outdated_and_not_missed(people: Admissions) -> None:
    people.all_sign_up("ann", "bob")
    run(people)
    before = RedisState.of(people.world.redis)
    for _ in range(2):
        run(people, after_seconds=60)
    before.restore(people.world.redis)
    seen = run(people, after_seconds=60)
    assert (seen["orders_outdated"], seen["beats_missed"]) == (1, 0)


def test_a_waitlist_that_is_not_compared_is_counted(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If comparing the waitlists with Redis fails, the maintenance run still succeeds. This metric
    is the only sign of the problem.
    """
    people.all_sign_up("ann", "bob")
    other = Admissions(people.world, waitlist_id="butcher")
    other.configure()
    other.all_sign_up("eve")
    assert run(people)["beats_missed"] == 0
    with monkeypatch.context() as patch:
        patch.setattr(Auditor, "audit", unavailable)
        assert run(people, after_seconds=60)["beats_missed"] == 2
    people.world.redis.flushall()
    people.world.metrics.take()
    people.world.maintenance.run_all(lambda: 0)
    assert people.world.metrics.take()["beats_missed"] == 2, "their rebuilds have not got far"
    assert run(people)["beats_missed"] == 0


def silence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the private function unreachable."""
    monkeypatch.setattr(QueueClient, "send", unavailable)


def test_a_private_function_that_does_not_answer_is_a_trouble_of_the_run(
    people: Admissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert count_troubles(run(people)) == 0
    silence(monkeypatch)
    seen = run(people, after_seconds=60)
    assert seen["beats_missed"] == 1
    assert count_troubles(seen) == 1


def test_a_stack_without_lists_asks_the_private_function_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Maintenance must call the private function even if there are no waitlists, so that a missing
    private function is noticed.
    """
    world = World.on(MemoryTable(), empty_redis())
    world.maintenance.run_all()
    silence(monkeypatch)
    with pytest.raises(QueueUnavailable):
        world.maintenance.run_all()


def test_the_essential_alarm_uses_the_thresholds_of_the_separate_alarms() -> None:
    """A stack with the `Monitoring=essential` parameter has one alarm in place of several. This
    alarm must use the same thresholds as the separate alarms.
    """
    alarms = {
        one["Properties"].get("MetricName"): one["Properties"]["Threshold"]
        for one in deployed().values()
        if one["Type"] == "AWS::CloudWatch::Alarm"
        and {"Name": "service", "Value": "maintenance"} in one["Properties"].get("Dimensions", [])
        and one["Properties"]["ComparisonOperator"] == "GreaterThanThreshold"
    }
    assert {name: alarms.get(name) for name in TROUBLES} == TROUBLES
