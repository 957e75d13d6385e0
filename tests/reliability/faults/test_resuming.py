"""Tests a queue rebuild that runs out of time or is interrupted.

The next run picks it up and completes the queue.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace

from tests.reliability.faults.fixture import (
    WITH_EVE,
    FaultFixture,
    Stores,
    at_each_step,
    line_with_eve,
)
from tests.support import faults
from tests.support.faults import Fault
from tests.support.snapshot import Snapshot
from waitlist_api.maintenance.rebuild import STOP_MILLIS
from waitlist_api.records import places
from waitlist_api.records.rebuild_progress import RebuildProgress

AN_HOUR = 3600
# A value of `enough_for` that leaves the function enough time for a whole rebuild.
ALWAYS = 1000
FIRST_PAGES = 2


@pytest.fixture(autouse=True)
def _one_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "PAGE", 1)


@dataclass
class Time:
    """Simulates a Lambda function's remaining time, which runs out after the function has checked
    it `enough_for` times.
    """

    enough_for: int
    asked: int = 0

    def left_millis(self) -> int:
        self.asked += 1
        return STOP_MILLIS if self.asked <= self.enough_for else STOP_MILLIS - 1


@pytest.fixture
def lost(fixture: FaultFixture) -> Snapshot:
    line_with_eve(fixture)
    fixture.flush()
    return fixture.stores.snapshot()


@pytest.fixture
def halfway(lost: Snapshot, fixture: FaultFixture) -> Snapshot:
    """Return a state in which a rebuild ran out of time after restoring one entry from each index
    shard.
    """
    run_maintenance(fixture, enough_for=0)
    rebuild = read_progress(fixture)
    assert rebuild
    assert (rebuild.stage, rebuild.done) == ("line", FIRST_PAGES)
    return fixture.stores.snapshot()


def run_maintenance(fixture: FaultFixture, enough_for: int = ALWAYS) -> None:
    """Run maintenance until it has checked its remaining time `enough_for` times."""
    fixture.world.maintenance.run_one("bakery", Time(enough_for).left_millis)


def read_progress(fixture: FaultFixture) -> RebuildProgress | None:
    waitlist = fixture.world.services.waitlist_records.get("bakery")
    assert waitlist
    return waitlist.rebuild


def find_restored(fixture: FaultFixture) -> Iterator[str]:
    for call in fixture.wire.calls:
        message: Any = json.loads(call.arguments["Payload"]) if call.is_invoke else {}
        for one in message.get("requests", []):
            for entry_id, *_ in one.get("stays", []):
                yield fixture.people.names[entry_id]


def find_problems(fixture: FaultFixture, *expected: str) -> list[str]:
    order = fixture.order()
    unlike = [] if order == list(expected or WITH_EVE) else [f"the order is {order}"]
    left_over = [f"still noted: {read_progress(fixture)}"] if read_progress(fixture) else []
    return [*unlike, *left_over, *fixture.contradictions()]


def problems_with_faults(
    stores: Stores,
    start: Snapshot,
    inject: Callable[[FaultFixture], Fault],
    outcome: Callable[[FaultFixture], list[str]],
    enough_for: int = ALWAYS,
) -> str:
    return at_each_step(
        stores, start, lambda fixture: run_maintenance(fixture, enough_for), inject, outcome
    )


def after_the_next_minutes(fixture: FaultFixture) -> list[str]:
    early = (
        [] if fixture.is_cold() or fixture.order() == list(WITH_EVE) else ["warm, and not complete"]
    )
    for _ in range(2):
        fixture.world.maintain()
        if not (wrong := find_problems(fixture)):
            break
    return [*early, *wrong]


def test_a_run_whose_time_is_up_is_continued(stores: Stores, lost: Snapshot) -> None:
    """If a rebuild runs out of time at any step, the next run continues it and restores no entry
    twice. Until the rebuild is complete, responses contain no position (promises P3 and P7).
    """
    stages = set()
    enough_for, is_done = 0, False
    while not is_done:
        stores.restore(lost)
        fixture = FaultFixture(stores)
        run_maintenance(fixture, enough_for)
        rebuild = read_progress(fixture)
        is_done = rebuild is None
        if rebuild:
            stages.add(rebuild.stage)
            assert fixture.is_cold()
            assert 0 < rebuild.done <= rebuild.total
            assert fixture.world.lambda_.started == [{"waitlist_id": "bakery"}]
        run_maintenance(fixture)
        assert not find_problems(fixture), enough_for
        assert sorted(find_restored(fixture)) == sorted(WITH_EVE)
        enough_for += 1
    assert stages == {"line", "changes", "journal"}


def test_runs_that_are_all_too_short_complete_the_order_together(
    stores: Stores, lost: Snapshot
) -> None:
    """Even if no single run has time for the whole rebuild, several runs complete it together.

    Each of them restores at least one page (promise P3).
    """
    fixture = FaultFixture(stores)
    done = 0
    while done < len(WITH_EVE):
        run_maintenance(fixture, enough_for=0)
        rebuild = read_progress(fixture)
        assert rebuild
        assert rebuild.done > done
        done = rebuild.done
    run_maintenance(fixture)
    assert not find_problems(fixture)


def test_a_run_without_progress_does_not_start_another_run(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """A run that made no progress does not start another one, which would only stop at the same
    step. The next scheduled run continues the rebuild (promise P9).
    """
    before: RebuildProgress | None = None
    while read_progress(fixture) != before or before is None:
        before = read_progress(fixture)
        fixture.world.lambda_.started.clear()
        run_maintenance(fixture, enough_for=0)
    assert fixture.world.lambda_.started == []
    run_maintenance(fixture)
    assert not find_problems(fixture)


@pytest.mark.parametrize("fault", [faults.lost, faults.throttled])
def test_a_run_with_a_failed_call_is_continued_at_once(
    stores: Stores, lost: Snapshot, fault: Fault
) -> None:
    """If a single call to DynamoDB or Redis fails during a rebuild, maintenance immediately starts
    another run, which continues the rebuild (promise P7).
    """

    def outcome(fixture: FaultFixture) -> list[str]:
        rebuild, started = read_progress(fixture), fixture.world.lambda_.started
        if not (rebuild and rebuild.done and fixture.is_cold()):
            return []
        gone_on_with.add(rebuild.stage)
        return [] if started == [{"waitlist_id": "bakery"}] else [f"{rebuild}, {started}"]

    gone_on_with: set[str] = set()
    wrong = problems_with_faults(stores, lost, lambda _: fault, outcome)
    assert not wrong, wrong
    assert gone_on_with == {"line", "changes", "journal"}


@pytest.mark.parametrize("fault", [faults.crash_after, faults.unheard])
def test_the_resuming_run_may_be_interrupted_too(
    stores: Stores, halfway: Snapshot, fault: Fault
) -> None:
    """If the run that continues a rebuild is itself interrupted, at any step, later runs complete
    the rebuild (promises P3 and P7).
    """
    wrong = problems_with_faults(
        stores, halfway, lambda _: fault, after_the_next_minutes, enough_for=1
    )
    assert not wrong, wrong


def test_redis_may_be_lost_during_the_resuming_run(stores: Stores, halfway: Snapshot) -> None:
    """If Redis loses its data again while a run continues a rebuild, the saved progress is not used
    (promises P3 and P7).
    """
    wrong = problems_with_faults(
        stores, halfway, lambda fixture: faults.before(fixture.flush), after_the_next_minutes
    )
    assert not wrong, wrong


def test_another_run_may_take_over_the_rebuild(stores: Stores, halfway: Snapshot) -> None:
    """A run that has lost its lease does not overwrite the progress saved by the run that took over
    (promise P3).
    """

    def inject(fixture: FaultFixture) -> Fault:
        return faults.before(lambda: fixture.maintain_elsewhere(minutes=10))

    wrong = problems_with_faults(stores, halfway, inject, after_the_next_minutes, enough_for=1)
    assert not wrong, wrong


def test_redis_may_be_lost_between_two_runs(fixture: FaultFixture, halfway: Snapshot) -> None:
    """If Redis loses its data again between two runs of a rebuild, the rebuild starts over (promise
    P3).
    """
    before = read_progress(fixture)
    fixture.flush()
    run_maintenance(fixture, enough_for=0)
    after = read_progress(fixture)
    assert before
    assert after
    assert after.epoch != before.epoch
    assert after.done == FIRST_PAGES
    run_maintenance(fixture)
    assert not find_problems(fixture)


def test_the_second_pass_covers_changes_since_the_first_run_began(
    fixture: FaultFixture, halfway: Snapshot
) -> None:
    """A rebuild that is interrupted and continues an hour later finds every change made since its
    first run began (promise P3).
    """
    before = read_progress(fixture)
    fixture.world.advance(AN_HOUR)
    run_maintenance(fixture, enough_for=0)
    after = read_progress(fixture)
    assert before
    assert after
    assert after.done > before.done
    assert after.began_millis == before.began_millis
    run_maintenance(fixture)
    assert not find_problems(fixture)


def test_segments_may_change_between_two_runs(fixture: FaultFixture, halfway: Snapshot) -> None:
    """If the segments change between two runs of a rebuild, the entries that the first run restored
    are in the new segments too (promise P6).
    """
    assert fixture.people.configure(segments=[["colour"]]).status == 200
    assert fixture.people.sign_up("zoe", key="zoe", attributes={"colour": "red"}).status == 201
    run_maintenance(fixture, enough_for=0)
    rebuild = read_progress(fixture)
    assert rebuild
    assert rebuild.segments_version > 0
    assert rebuild.done == FIRST_PAGES
    run_maintenance(fixture)
    fixture.world.maintain()
    assert not find_problems(fixture, *WITH_EVE, "zoe")
    waiting = fixture.people.segments().json["segments"]
    assert [(one["segment"], one["waiting"]) for one in waiting] == [({"colour": "red"}, 1)]


def test_people_join_and_leave_during_the_runs_and_between_them(
    stores: Stores, lost: Snapshot
) -> None:
    """People may join and leave between the runs of a rebuild.

    The queue stays in order, and nobody who has left comes back (promises P1, P3 and P6).
    """

    def inject(fixture: FaultFixture) -> Fault:
        other = FaultFixture(fixture.stores).people
        return faults.before(lambda: other.sign_up("fay", key="fay"))

    stores.restore(lost)
    fixture = FaultFixture(stores)
    run_maintenance(fixture, enough_for=0)
    for step in range(len(fixture.wire.names)):
        stores.restore(lost)
        fixture = FaultFixture(stores)
        fixture.wire.arm(step, inject(fixture))
        run_maintenance(fixture, enough_for=0)
        fixture.wire.disarm()
        assert fixture.people.sign_up("gus", key="gus").json["position"] is None
        assert fixture.people.leave("bob").status == 204
        assert fixture.people.leave("dan").status == 204
        fixture.world.advance(AN_HOUR)
        assert fixture.people.sign_up("zoe", key="zoe").status == 201
        assert fixture.people.sign_up("dan", key="again").status == 201
        run_maintenance(fixture)
        assert not find_problems(fixture, "ann", "cyd", "eve", "fay", "gus", "zoe", "dan"), step


def test_outdated_progress_of_a_finished_rebuild_is_deleted(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """If a finished rebuild has left its saved progress behind, maintenance deletes it within a
    minute. The queue stays complete (promise P7).
    """
    run_maintenance(fixture, enough_for=0)
    waitlist = fixture.world.services.waitlist_records.get("bakery")
    assert waitlist
    assert waitlist.rebuild
    run_maintenance(fixture)
    stale = waitlist.rebuild
    records = fixture.world.services.waitlist_records
    assert records.take_lease(waitlist, "killed", 0, 1)
    assert records.renew_lease("bakery", "killed", 1, stale)
    fixture.world.maintain()
    assert not find_problems(fixture)


def test_a_run_without_the_lease_saves_no_progress(
    fixture: FaultFixture, halfway: Snapshot
) -> None:
    """A run without the lease does not save its progress, because that could overwrite the progress
    of the run that holds the lease (promise P3).
    """
    before = read_progress(fixture)
    assert before
    behind = replace(before, reached={}, done=0)
    records = fixture.world.services.waitlist_records
    assert not records.renew_lease("bakery", "another", 1, behind)
    assert read_progress(fixture) == before
