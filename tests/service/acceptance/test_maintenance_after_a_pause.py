"""Maintenance has not run for hours. Its next runs compare the changes made in these hours with
Redis step by step.
"""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.admissions import Admissions
from tests.support.faults import Crash
from tests.support.journal import read_at_most
from tests.support.snapshot import RedisState
from tests.support.stores import empty_redis
from tests.support.threads import real_threads
from tests.support.world import RedisClock, World
from tools.local.dynamodb.memory_table import MemoryTable
from waitlist_api.maintenance import audit
from waitlist_api.records.entry import SHARDS
from waitlist_api.records.journal import MINUTE, STEP_MINUTES

HOURS = 6
DAY = 24


def queries_of(hours: int) -> int:
    return SHARDS * (hours * 60 + 10)


ALL_QUERIES, ENOUGH = queries_of(HOURS), queries_of(DAY)
RUN_MILLIS = 300_000
MIDDLE = STEP_MINUTES * SHARDS // 2
PATIENT_SECONDS = 60.0


class WatchedTable(MemoryTable):
    """A table that counts journal queries.

    A test can run an action before each one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._counting = threading.Lock()
        self.queries = 0
        self.at_once = 0
        self._now = 0
        self.before_query: Callable[[int], None] = lambda _: None

    def query(self, **request: Any) -> Any:
        values = request.get("ExpressionAttributeValues", {})
        if not values.get(":pk", {}).get("S", "").startswith("JOURNAL#"):
            return super().query(**request)
        with self._counting:
            self.queries += 1
            self._now += 1
            self.at_once = max(self.at_once, self._now)
            number = self.queries
        try:
            self.before_query(number)
            return super().query(**request)
        finally:
            with self._counting:
                self._now -= 1


@pytest.fixture(autouse=True)
def _read_a_whole_day() -> Iterator[None]:
    with read_at_most(minutes=24 * 60):
        yield


@pytest.fixture
def table() -> WatchedTable:
    return WatchedTable()


@pytest.fixture
def people(table: WatchedTable) -> Admissions:
    people = Admissions(World.on(table, empty_redis(), redis_clock=RedisClock.standing()))
    assert people.configure().status == 201
    people.all_sign_up("ann")
    for _ in range(2):
        people.world.maintain()
    return people


def hours_pass(people: Admissions, hours: int = HOURS) -> None:
    people.world.advance(3600)
    people.all_sign_up("bob")
    people.world.advance((hours - 2) * 3600)
    people.all_sign_up("cyd")
    people.world.advance(3600)


def run(people: Admissions, table: WatchedTable, queries: int = ENOUGH) -> int:
    """Let maintenance run until it has made the given number of queries. Return how many it
    made.
    """
    people.world.advance(60)
    people.world.metrics.take()
    table.queries = 0

    def left_millis() -> int:
        return RUN_MILLIS if table.queries < queries else 0

    people.world.maintenance.run_all(left_millis)
    return table.queries


def test_a_run_with_time_enough_compares_the_whole_day_many_minutes_at_once(
    people: Admissions, table: WatchedTable
) -> None:
    another = threading.Event()

    def before_query(number: int) -> None:
        """Let one query wait for a later query, which can only begin if the queries run in
        parallel.
        """
        if number == MIDDLE:
            another.wait(PATIENT_SECONDS)
        elif number > MIDDLE:
            another.set()

    hours_pass(people, DAY)
    people.lose_place("bob")
    people.lose_place("cyd")
    table.before_query = before_query
    with real_threads():
        assert run(people, table) <= queries_of(DAY)
    assert people.order() == ["ann", "bob", "cyd"]
    assert people.world.metrics.take()["beats_missed"] == 0
    run(people, table)
    assert run(people, table) <= 10 * SHARDS, "the day is not compared again"
    assert 1 < table.at_once <= SHARDS


def test_runs_with_little_time_go_on_where_the_last_one_stopped(
    people: Admissions, table: WatchedTable
) -> None:
    """Several maintenance runs share the work of comparing the last hours with Redis. Until the
    comparison is complete, the `beats_missed` metric is 1 (promise P7).
    """
    hours_pass(people)
    people.lose_place("bob")
    people.lose_place("cyd")
    quarter = ALL_QUERIES // 4
    made = [run(people, table, quarter)]
    assert people.world.metrics.take()["beats_missed"] == 1
    assert people.order() == ["ann", "bob"], "what was compared is also repaired"
    while people.world.metrics.take().get("beats_missed", 1):
        made.append(run(people, table, quarter))
    assert people.order() == ["ann", "bob", "cyd"]
    step = STEP_MINUTES * SHARDS
    assert all(queries <= quarter + step for queries in made)
    assert sum(made) <= ALL_QUERIES + 10 * SHARDS * len(made)
    run(people, table)
    assert run(people, table) <= 10 * SHARDS


def test_a_run_that_always_has_too_little_time_does_a_step(
    people: Admissions, table: WatchedTable
) -> None:
    people.world.advance(3600)
    people.all_sign_up("bob")
    people.lose_place("bob")
    for _ in range(60):
        assert run(people, table, queries=0) <= STEP_MINUTES * SHARDS
    assert people.order() == ["ann", "bob"]


def test_a_run_that_is_killed_repeats_two_hours_of_the_journal_at_the_most(
    people: Admissions, table: WatchedTable
) -> None:
    """P3"""
    hours_pass(people)
    people.lose_place("bob")
    people.lose_place("cyd")

    def kill(number: int) -> None:
        if number > ALL_QUERIES // 2:
            raise Crash

    table.before_query = kill
    with pytest.raises(Crash):
        run(people, table)
    assert people.order() == ["ann", "bob"]
    table.before_query = lambda _: None
    noted = audit.NOTE_STAMPS // MINUTE
    assert run(people, table) <= ALL_QUERIES // 2 + (noted + 2 * STEP_MINUTES) * SHARDS
    assert people.order() == ["ann", "bob", "cyd"]


def test_changes_that_redis_loses_between_the_runs_are_found(
    people: Admissions, table: WatchedTable
) -> None:
    """After the first run, Redis loses changes that this run has compared. The next run must notice
    the loss (promise P7).
    """
    past = RedisState.of(people.world.redis)
    hours_pass(people)
    run(people, table, ALL_QUERIES // 2)
    past.restore(people.world.redis)
    assert people.order() == ["ann"]
    run(people, table)
    assert people.world.metrics.take()["beats_lost"] == 1
    assert people.order() == ["ann", "bob", "cyd"]


def test_a_repair_that_redis_loses_is_made_again(people: Admissions, table: WatchedTable) -> None:
    """Maintenance restores an entry that Redis had lost, and Redis loses it once more. The next run
    restores the entry again (promise P7).
    """
    hours_pass(people)
    people.lose_place("bob")
    past: list[RedisState] = []
    table.before_query = lambda number: (
        past.append(RedisState.of(people.world.redis)) if number == 1 else None
    )
    run(people, table)
    assert people.order() == ["ann", "bob", "cyd"]
    past[0].restore(people.world.redis)
    assert people.order() == ["ann", "cyd"]
    run(people, table)
    assert people.order() == ["ann", "bob", "cyd"]


def test_an_order_that_lost_more_is_rebuilt_and_the_comparison_is_not_gone_on_with(
    people: Admissions, table: WatchedTable
) -> None:
    hours_pass(people)
    past = RedisState.of(people.world.redis)
    for _ in range(2):
        run(people, table, ALL_QUERIES // 4)
    past.restore(people.world.redis)
    people.lose_place("cyd")
    for _ in range(4):
        run(people, table)
    assert people.order() == ["ann", "bob", "cyd"]
    assert run(people, table) <= 10 * SHARDS


def test_a_rebuild_continues_after_an_empty_part_of_the_journal(
    people: Admissions, table: WatchedTable
) -> None:
    """If part of the journal contains no changes, a rebuild continues with the next part."""
    hours_pass(people)
    people.world.redis.flushall()
    made = []
    for _ in range(200):
        made.append(run(people, table, queries=200))
        if people.poll("ann").status == 200:
            break
    assert people.order() == ["ann", "bob", "cyd"]
    assert max(made) <= 200 + 2 * STEP_MINUTES * SHARDS


@pytest.mark.parametrize(("minutes", "read"), [(2, 2 + 15), (10 * 60, 60)])
def test_the_rebuild_of_a_new_waitlist_reads_its_whole_journal(
    table: WatchedTable, minutes: int, read: int
) -> None:
    """A rebuild reads at most the last hour of the journal. For a new waitlist, it also reads the
    15 minutes before the waitlist was created, because clocks may differ (promise P9).
    """
    people = Admissions(World.on(table, empty_redis(), redis_clock=RedisClock.standing()))
    people.configure()
    people.all_sign_up("ann", "bob")
    people.world.advance(60 * minutes)
    people.world.redis.flushall()
    table.queries = 0
    people.world.maintenance.run_one(people.waitlist_id)
    assert people.order() == ["ann", "bob"]
    assert table.queries == SHARDS * (read + 1)
