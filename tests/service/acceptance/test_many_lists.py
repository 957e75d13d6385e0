"""Tests for idle waitlists, which maintenance skips."""

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from tests.support.admissions import Admissions
from tests.support.faults import Crash, Wire, crash_after
from tests.support.segmented import BY_LANGUAGE, Segmented
from tests.support.snapshot import RedisState
from tests.support.stores import empty_redis
from tests.support.world import RedisClock, World
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_api.admission.admit import Admissions as AdmissionRuns
from waitlist_api.estimates.pace import UNKNOWN
from waitlist_api.estimates.recent import Recent
from waitlist_api.maintenance import audit, runner, strays
from waitlist_api.maintenance.audit import Auditor
from waitlist_api.maintenance.confirm_walk import ConfirmWalker
from waitlist_api.maintenance.heartbeat import Heartbeat
from waitlist_api.maintenance.notifier import Notifier
from waitlist_api.maintenance.rebuild import Rebuilder
from waitlist_api.maintenance.reconcile import Reconciler
from waitlist_api.maintenance.strays import Strays
from waitlist_api.queue.client import QueueClient, send_batch
from waitlist_api.records.journal import MINUTE
from waitlist_api.records.samples import HOUR_MILLIS, Sample, SampleRecords
from waitlist_api.records.waitlists import WaitlistRecords
from waitlist_queue import keys
from waitlist_shared import contracts as c
from waitlist_shared.errors import QueueUnavailable, StaleSegments

IDS = ("bakery", "butcher", "chemist")


@pytest.fixture
def world() -> World:
    return World.on(MemoryTable(), empty_redis(), redis_clock=RedisClock.standing())


@pytest.fixture
def lists(world: World) -> list[Admissions]:
    lists = [Admissions(world, waitlist_id=waitlist_id) for waitlist_id in IDS]
    for people in lists:
        assert people.configure(lease_seconds=300).status == 201
        people.all_sign_up("ann")
    minutes(world, 5)
    return lists


def minutes(world: World, count: int = 1) -> None:
    for _ in range(count):
        world.advance(60)
        world.maintenance.run_all()


def beats(world: World) -> list[int]:
    records = world.services.waitlist_records
    return [one.checkpoint.beat for one in records.all()]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counts: Counter[str] = Counter()
    send = QueueClient.send

    def counting(client: QueueClient, request: Any) -> Any:
        counts[type(request).__name__] += 1
        return send(client, request)

    monkeypatch.setattr(QueueClient, "send", counting)
    return counts


def test_lists_at_rest_share_one_call_and_write_nothing(
    world: World, lists: list[Admissions], sent: Counter[str]
) -> None:
    before = {key: dict(item) for key, item in world.dynamodb.items.items()}
    minutes(world)
    assert sent == {"Batch": 1}
    after = dict(world.dynamodb.items)
    changed = {key for key in after if after[key] != before.get(key)}
    assert changed == {("MAINTENANCE", "ROUND")}


def test_only_the_list_that_changes_gets_a_heartbeat(world: World, lists: list[Admissions]) -> None:
    before = beats(world)
    lists[1].all_sign_up("bob")
    minutes(world)
    assert [now - then for now, then in zip(beats(world), before, strict=True)] == [0, 1, 0]


def test_a_hold_in_a_list_at_rest_ends_in_time(world: World, lists: list[Admissions]) -> None:
    lists[0].claimed(1)
    minutes(world, 8)
    assert lists[0].status("ann") == "waiting"


def test_an_instant_comes_though_nothing_else_happens(
    world: World, lists: list[Admissions]
) -> None:
    policy = {"schedule": [{"cron": "0 * * * *", "count": 1}]}
    assert lists[0].configure(admission=policy, lease_seconds=300).status == 200
    minutes(world, 61)
    assert lists[0].status("ann") == "offered"


def test_slots_that_come_while_none_waits_lapse_at_the_next_instant(
    world: World, lists: list[Admissions]
) -> None:
    """The schedule gives two slots per hour. If nobody is waiting, the slots are lost at the next
    full hour, and later customers do not get them (promise P6).
    """
    policy = {"schedule": [{"cron": "0 * * * *", "count": 2}]}
    lists[0].leave("ann")
    lists[0].configure(admission=policy, lease_seconds=300)
    minutes(world, 3 * 60)
    crowd = [f"customer-{number}" for number in range(6)]
    lists[0].all_sign_up(*crowd)
    minutes(world)
    offered = [name for name in crowd if lists[0].status(name) == "offered"]
    assert offered == crowd[:2]


def test_a_lost_order_of_a_list_at_rest_is_rebuilt(world: World, lists: list[Admissions]) -> None:
    """P7"""
    world.redis.flushall()
    minutes(world)
    assert [people.order() for people in lists] == [["ann"]] * 3


def test_maintenance_notices_a_lost_change_on_a_waitlist_without_activity(
    world: World, lists: list[Admissions]
) -> None:
    """Redis has lost a signup, so only the journal shows that something has happened on the
    waitlist. Maintenance must not skip this waitlist (promise P3).
    """
    before = RedisState.of(world.redis)
    lists[2].all_sign_up("bob")
    before.restore(world.redis)
    assert lists[2].order() == ["ann"]
    minutes(world)
    assert lists[2].order() == ["ann", "bob"]


def test_repairs_that_redis_has_lost_again_are_repeated(
    world: World, lists: list[Admissions], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Maintenance restores Bob's signup, and Redis loses it once more. The next run notices the
    lost heartbeat, and restores the signup again (promise P3).
    """
    at_rest = RedisState.of(world.redis)
    before_repairs: list[RedisState] = []
    lists[2].all_sign_up("bob")
    minutes(world, 5)
    at_rest.restore(world.redis)
    repair = Auditor._repair

    def kept(auditor: Auditor, *found: Any) -> None:
        before_repairs.append(RedisState.of(world.redis))
        repair(auditor, *found)

    with monkeypatch.context() as patch:
        patch.setattr(Auditor, "_repair", kept)
        minutes(world)
    assert lists[2].order() == ["ann", "bob"]
    before_repairs[0].restore(world.redis)
    assert lists[2].order() == ["ann"]
    minutes(world)
    assert lists[2].order() == ["ann", "bob"]


def test_a_queue_that_was_created_again_is_not_skipped(
    world: World, lists: list[Admissions]
) -> None:
    """Maintenance does not skip a queue that was created again in Redis. It recognizes such a queue
    by its epoch, a number that every new queue gets (promise P7).
    """
    lists[0].lose_place("ann")
    world.redis.hset(keys.meta("bakery"), "epoch", "0123abcd")
    minutes(world)
    assert lists[0].order() == ["ann"]


def test_settings_that_did_not_reach_redis_are_sent_again_at_any_time(
    world: World, lists: list[Admissions]
) -> None:
    before = RedisState.of(world.redis)
    lists[1].configure(open=False)
    before.restore(world.redis)
    minutes(world, 20)
    assert world.redis.hget(keys.meta("butcher"), "open") == "0"


@pytest.mark.parametrize("unaware", ["Redis", "the record"])
def test_segments_that_one_store_calls_unfinished_wake_the_list(
    world: World, lists: list[Admissions], unaware: str
) -> None:
    """If Redis and DynamoDB disagree on whether the segments are ready, maintenance does not skip
    the waitlist (promise P3).
    """
    people = Segmented(world, waitlist_id="bakery")
    segments = people.declare(BY_LANGUAGE).segments
    minutes(world, 5)
    assert people.states() == ("ready", "ready")
    if unaware == "Redis":
        world.services.waitlist_records.note_segments(segments, "building")
    else:
        world.redis.hset(keys.meta("bakery"), "segments_state", "building")
    minutes(world)
    assert people.states() == ("ready", "ready")


def test_a_list_at_rest_is_compared_twice_a_day(world: World, lists: list[Admissions]) -> None:
    before = beats(world)
    for _ in range(13):
        world.advance(3600 - 60)
        world.maintenance.run_all()
        minutes(world)
    assert all(now > then for now, then in zip(beats(world), before, strict=True))


def test_a_pace_is_that_of_samples_of_each_minute(world: World) -> None:
    """Maintenance need not store samples while nobody is admitted, because they do not affect the
    computed pace of admissions.
    """
    start = world.clock.millis // HOUR_MILLIS * HOUR_MILLIS
    each_minute, sparse = (Recent(start, [], [], start) for _ in range(2))
    for minute in range(3 * 60):
        millis = start + minute * 60_000
        served = 10 * (minute // 60)
        sample = Sample(millis=millis, admitted=served, waiting=100 - served, joined=100)
        each_minute.add(sample)
        if minute % 60 in (0, 1):
            sparse.add(sample, quiet_until=millis - 60_000)
    newest = replace(sample, millis=millis + 60_000, admitted=served + 10)
    sparse.add(sample, quiet_until=millis - 60_000)
    assert sparse.pace(newest, None) == each_minute.pace(newest, None) != UNKNOWN


def test_the_history_has_the_last_counts_of_a_list_at_rest(
    world: World, lists: list[Admissions]
) -> None:
    """A change made after the last sample belongs to the last hour's history."""
    lists[0].all_sign_up("bob")
    minutes(world, 5)
    world.advance(3 * 3600)
    points = world.services.count_history.points("bakery", "hour")
    assert {point.waiting for point in points} == {2}


def busy(lists: list[Admissions]) -> None:
    for people in lists:
        people.all_sign_up("bob")


@pytest.fixture
def one_list_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "TOGETHER", 1)
    monkeypatch.setattr(runner, "RUN_MILLIS", -1)


def test_a_run_without_time_goes_on_in_the_next_and_says_how_far_behind_it_is(
    world: World, lists: list[Admissions], one_list_a_run: None
) -> None:
    busy(lists)
    before, seen = beats(world), []
    for _ in range(3):
        world.metrics.take()
        minutes(world)
        numbers = world.metrics.take()
        seen.append((numbers["waitlists_left"], numbers.get("behind_seconds", 0)))
    assert [now - then for now, then in zip(beats(world), before, strict=True)] == [1, 1, 1]
    assert seen == [(2, 0), (1, 60), (0, 120)]
    assert numbers["waitlists"] == 3
    assert numbers["waiting"] == 6


def test_a_run_goes_on_though_the_list_at_which_it_stopped_is_deleted(
    world: World, lists: list[Admissions], one_list_a_run: None
) -> None:
    busy(lists)
    minutes(world)
    lists[0].delete_waitlist()
    before = beats(world)
    minutes(world, 2)
    after = beats(world)
    assert [now - then for now, then in zip(after[-2:], before[-2:], strict=True)] == [1, 1]


# For each step of a waitlist's maintenance run, a method that the step always calls.
STEPS: list[tuple[type, str]] = [
    (Rebuilder, "forget"),
    (Reconciler, "reconcile"),
    (AdmissionRuns, "run"),
    (ConfirmWalker, "run"),
    (Notifier, "notify"),
    (SampleRecords, "write"),
    (Recent, "add"),
    (Auditor, "_compare"),
    (Strays, "_find_strays"),
    (WaitlistRecords, "write_checkpoint"),
]


@pytest.mark.parametrize(("part", "step"), STEPS, ids=[step for _, step in STEPS])
def test_a_step_that_failed_keeps_its_list_busy(
    world: World, lists: list[Admissions], monkeypatch: pytest.MonkeyPatch, part: type, step: str
) -> None:
    """If a maintenance step fails, the next runs repeat it, even if nothing else happens on the
    waitlist (promise P3).
    """
    monkeypatch.setattr(Recent, "pace", lambda *_: UNKNOWN)
    policy = {"rate": {"count": 1, "per": "day"}}
    assert lists[0].configure(admission=policy, confirm={"every_days": 30}).status == 200
    minutes(world, 5)
    lists[0].all_sign_up("bob")
    with monkeypatch.context() as patch:
        patch.setattr(part, step, unavailable)
        minutes(world, 6)
    done: list[bool] = []
    take = getattr(part, step)

    def counted(*given: Any, **named: Any) -> Any:
        done.append(True)
        return take(*given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(part, step, counted)
        minutes(world)
    assert done
    minutes(world, 3)
    before = beats(world)
    minutes(world, 3)
    assert beats(world) == before, "maintenance skips all waitlists again"


def add_stray(people: Admissions, name: str) -> str:
    """Add an entry to Redis that DynamoDB does not contain, as a late message can."""
    entry_id = people.id_of(name)
    late = c.Signup(waitlist_id=people.waitlist_id, entry_id=entry_id, join_id="0123abcd")
    people.world.services.queue.send(late)
    return entry_id


@pytest.mark.parametrize("step", ["the pages", "the records"])
def test_strays_that_a_run_has_no_time_for_are_looked_for_by_the_next(
    world: World, lists: list[Admissions], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Only Redis knows Eve's entry, so the journal does not contain it. If a maintenance run has no
    time to look for such entries, the next run removes them (promise P3).
    """
    add_stray(lists[0], "eve")
    stop = {"the pages": (Strays, "_pages"), "the records": (Strays, "_find_strays")}[step]
    with monkeypatch.context() as patch:
        if step == "the pages":
            patch.setattr(strays, "STOP_MILLIS", 2**63)
        else:
            patch.setattr(*stop, unavailable)
        minutes(world, 4)
    assert lists[0].order() == ["ann", "eve"]
    minutes(world)
    assert lists[0].order() == ["ann"]


def with_a_stray(wire: Wire) -> Admissions:
    table, clock = wire.client(MemoryTable()), RedisClock.standing()
    people = Admissions(World.on(table, empty_redis(), wire.client, redis_clock=clock))
    assert people.configure().status == 201
    people.all_sign_up("ann")
    minutes(people.world, 5)
    add_stray(people, "eve")
    wire.disarm()
    return people


def test_an_unknown_entry_is_removed_even_if_maintenance_crashes_at_any_step() -> None:
    """If maintenance crashes while removing an entry that is missing from DynamoDB, the next runs
    remove the entry (promise P3).
    """
    wire = Wire()
    minutes(with_a_stray(wire).world)
    steps = list(wire.different_steps)
    assert len(steps) > 8
    for step in steps:
        people = with_a_stray(wire := Wire())
        wire.arm(step, crash_after)
        with pytest.raises(Crash):
            minutes(people.world)
        wire.disarm()
        minutes(people.world, 2)
        assert people.order() == ["ann"], step


def test_a_place_that_could_not_be_given_up_is_given_up_by_the_next_run(
    world: World, lists: list[Admissions], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis has an entry that is missing from DynamoDB. Maintenance does not skip the waitlist
    until the entry is removed, even if the first attempt fails (promise P3).
    """
    entry_id = add_stray(lists[0], "eve")
    claim = c.Claim(
        waitlist_id="bakery", order="newest", once_key="0" * 32, once_body="0" * 32, once_seconds=60
    )
    (claimed,) = world.services.queue.send(claim).entries
    park = c.Park(waitlist_id="bakery", entry_id=entry_id, token=claimed.token)
    world.services.queue.send(park)
    send = QueueClient.send

    def without_drops(client: QueueClient, request: Any) -> Any:
        requests = getattr(request, "requests", [])
        kept = [one for one in requests if not isinstance(one, c.Drop)]
        if len(kept) == len(requests):
            return send(client, request)
        results = iter(send(client, c.Batch(requests=kept)).results if kept else [])
        failure = {"ok": False, "code": QueueUnavailable.code, "message": "lost"}
        answers = [failure if isinstance(one, c.Drop) else next(results) for one in requests]
        return c.BatchResult(outcome="batch", results=answers)

    with monkeypatch.context() as patch:
        patch.setattr(QueueClient, "send", without_drops)
        minutes(world, 6)
    assert lists[0].stats().json["parked"] == 1
    minutes(world)
    assert lists[0].stats().json["parked"] == 0


def test_counts_that_could_not_be_stored_are_stored_by_the_next_run(
    world: World, lists: list[Admissions], monkeypatch: pytest.MonkeyPatch
) -> None:
    lists[0].leave("ann")
    with monkeypatch.context() as patch:
        patch.setattr(SampleRecords, "write", unavailable)
        minutes(world, 6)
    minutes(world)
    now_millis = world.clock.now_millis()
    samples = world.maintenance.samples.read("bakery", "minute", now_millis - HOUR_MILLIS)
    assert (samples[-1].waiting, samples[-1].left) == (0, 1)


def test_a_repair_that_redis_refused_is_tried_again(
    world: World, lists: list[Admissions], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A waitlist's comparison with Redis counts as done only when all repairs have succeeded
    (promise P3).
    """
    before = RedisState.of(world.redis)
    lists[2].all_sign_up("bob")
    before.restore(world.redis)

    def refuse(queue: Any, requests: Any) -> Any:
        answers = send_batch(queue, requests)
        is_repair = any(isinstance(one, c.Restore) for one in requests)
        return [StaleSegments()] * len(answers) if is_repair else answers

    def undone(queue: Any, requests: Any) -> Any:
        state = RedisState.of(world.redis)
        answers = refuse(queue, requests)
        if any(isinstance(one, c.Restore) for one in requests):
            state.restore(world.redis)
        return answers

    with monkeypatch.context() as patch:
        patch.setattr(audit, "send_batch", undone)
        minutes(world, 6)
    assert lists[2].order() == ["ann"]
    minutes(world)
    assert lists[2].order() == ["ann", "bob"]


def test_a_round_in_which_a_list_fails_is_compared_again(
    world: World, lists: list[Admissions], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a waitlist's comparison with Redis fails, a later run finds what Redis has lost (promise
    P3).
    """
    before = RedisState.of(world.redis)
    lists[2].all_sign_up("bob")
    before.restore(world.redis)
    seen = world.maintenance.rounds.read()[0].seen
    with monkeypatch.context() as patch:
        patch.setattr(Heartbeat, "check", unavailable)
        minutes(world, 5)
    assert world.maintenance.rounds.read()[0].seen == seen
    minutes(world)
    assert lists[2].order() == ["ann", "bob"]
    assert world.maintenance.rounds.read()[0].seen > seen + 5 * MINUTE


def test_of_two_runs_at_once_the_second_note_does_not_replace_the_first(world: World) -> None:
    rounds = world.maintenance.rounds
    read, _ = rounds.read()
    first = rounds.write(read.begun(1, 1000).ended())
    rounds.write(read.begun(2, 500).done_up_to("bakery", is_whole=True))
    assert rounds.read()[0] == first


def unavailable(*_: object, **__: object) -> Any:
    raise QueueUnavailable
