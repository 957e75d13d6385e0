"""A rebuild runs out of time or is cut off; the next run resumes it, and the order is complete."""

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
# A rebuild of five entries checks its remaining time less often than this.
ALWAYS = 1000
FIRST_PAGES = 2


@pytest.fixture(autouse=True)
def _one_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read pages of one entry, so that a run can stop after any entry."""
    monkeypatch.setattr(places, "PAGE", 1)


@dataclass
class Time:
    """A remaining time that is enough for the first `enough_for` checks, and then too short."""

    enough_for: int
    asked: int = 0

    def left_millis(self) -> int:
        self.asked += 1
        return STOP_MILLIS if self.asked <= self.enough_for else STOP_MILLIS - 1


@pytest.fixture
def lost(fixture: FaultFixture) -> Snapshot:
    """Return a state with five waiting entries whose order Redis has lost."""
    line_with_eve(fixture)
    fixture.flush()
    return fixture.stores.snapshot()


@pytest.fixture
def halfway(lost: Snapshot, fixture: FaultFixture) -> Snapshot:
    """Return the state after a first run that restored one entry of each shard in its time."""
    run(fixture, enough_for=0)
    rebuild = noted(fixture)
    assert rebuild
    assert (rebuild.stage, rebuild.done) == ("line", FIRST_PAGES)
    return fixture.stores.snapshot()


def run(fixture: FaultFixture, enough_for: int = ALWAYS) -> None:
    """Run maintenance of this list; its time is enough for so many checks."""
    fixture.world.maintenance.run_one("bakery", Time(enough_for).left_millis)


def noted(fixture: FaultFixture) -> RebuildProgress | None:
    waitlist = fixture.world.services.waitlist_records.get("bakery")
    assert waitlist
    return waitlist.rebuild


def restored(fixture: FaultFixture) -> Iterator[str]:
    """Yield the names of the entries that this fixture's first passes have restored."""
    for call in fixture.wire.calls:
        message: Any = json.loads(call.arguments["Payload"]) if call.is_invoke else {}
        for one in message.get("requests", []):
            for entry_id, *_ in one.get("stays", []):
                yield fixture.people.names[entry_id]


def whole(fixture: FaultFixture, *expected: str) -> list[str]:
    """Return the problems of a finished rebuild: order, noted progress, contradictions."""
    order = fixture.order()
    unlike = [] if order == list(expected or WITH_EVE) else [f"the order is {order}"]
    left_over = [f"still noted: {noted(fixture)}"] if noted(fixture) else []
    return [*unlike, *left_over, *fixture.contradictions()]


def injected(
    stores: Stores,
    start: Snapshot,
    inject: Callable[[FaultFixture], Fault],
    outcome: Callable[[FaultFixture], list[str]],
    enough_for: int = ALWAYS,
) -> str:
    """Run once per different step, with a fault injected at that step; return all problems."""
    return at_each_step(stores, start, lambda fixture: run(fixture, enough_for), inject, outcome)


def after_the_next_minutes(fixture: FaultFixture) -> list[str]:
    early = (
        [] if fixture.is_cold() or fixture.order() == list(WITH_EVE) else ["warm, and not complete"]
    )
    for _ in range(2):
        fixture.world.maintain()
        if not (wrong := whole(fixture)):
            break
    return [*early, *wrong]


def test_a_run_whose_time_is_up_is_gone_on_with(stores: Stores, lost: Snapshot) -> None:
    """P3, P7: at whichever step it stops, no answer has a position, no entry is restored twice."""
    stages = set()
    enough_for, is_done = 0, False
    while not is_done:
        stores.restore(lost)
        fixture = FaultFixture(stores)
        run(fixture, enough_for)
        rebuild = noted(fixture)
        is_done = rebuild is None
        if rebuild:
            stages.add(rebuild.stage)
            assert fixture.is_cold()
            assert 0 < rebuild.done <= rebuild.total
            assert fixture.world.lambda_.started == [{"waitlist_id": "bakery"}]
        run(fixture)
        assert not whole(fixture), enough_for
        assert sorted(restored(fixture)) == sorted(WITH_EVE)
        enough_for += 1
    assert stages == {"line", "changes", "journal"}


def test_runs_that_are_all_too_short_come_to_the_end_of_the_line(
    stores: Stores, lost: Snapshot
) -> None:
    """P3: each run restores at least one page."""
    fixture = FaultFixture(stores)
    done = 0
    while done < len(WITH_EVE):
        run(fixture, enough_for=0)
        rebuild = noted(fixture)
        assert rebuild
        assert rebuild.done > done
        done = rebuild.done
    run(fixture)
    assert not whole(fixture)


def test_a_run_that_came_no_further_asks_for_no_other(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """P9: a run at once would stop at the same step, so the scheduled run continues."""
    before: RebuildProgress | None = None
    while noted(fixture) != before or before is None:
        before = noted(fixture)
        fixture.world.lambda_.started.clear()
        run(fixture, enough_for=0)
    assert fixture.world.lambda_.started == []
    run(fixture)
    assert not whole(fixture)


@pytest.mark.parametrize("fault", [faults.lost, faults.throttled])
def test_a_run_that_is_refused_is_gone_on_with_at_once(
    stores: Stores, lost: Snapshot, fault: Fault
) -> None:
    """P7: one failed call to a store does not delay the rebuild until the scheduled run."""

    def outcome(fixture: FaultFixture) -> list[str]:
        rebuild, started = noted(fixture), fixture.world.lambda_.started
        if not (rebuild and rebuild.done and fixture.is_cold()):
            return []
        gone_on_with.add(rebuild.stage)
        return [] if started == [{"waitlist_id": "bakery"}] else [f"{rebuild}, {started}"]

    gone_on_with: set[str] = set()
    wrong = injected(stores, lost, lambda _: fault, outcome)
    assert not wrong, wrong
    assert gone_on_with == {"line", "changes", "journal"}


@pytest.mark.parametrize("enough_for", [1, ALWAYS])
@pytest.mark.parametrize("fault", [faults.crash_after, faults.unheard])
def test_the_run_that_goes_on_is_cut_off_itself(
    stores: Stores, halfway: Snapshot, fault: Fault, enough_for: int
) -> None:
    """P3, P7: at any step: a page, its noted progress, the completion, the end of the lease."""
    wrong = injected(stores, halfway, lambda _: fault, after_the_next_minutes, enough_for)
    assert not wrong, wrong


def test_redis_is_lost_while_a_run_goes_on(stores: Stores, halfway: Snapshot) -> None:
    """P3, P7: progress from before the loss does not count."""
    wrong = injected(
        stores, halfway, lambda fixture: faults.before(fixture.flush), after_the_next_minutes
    )
    assert not wrong, wrong


def test_another_run_takes_over_the_rebuild(stores: Stores, halfway: Snapshot) -> None:
    """P3: a run that has lost the lease does not overwrite the progress of the new holder."""

    def inject(fixture: FaultFixture) -> Fault:
        return faults.before(lambda: fixture.maintain_elsewhere(minutes=10))

    for enough_for in (1, ALWAYS):
        wrong = injected(stores, halfway, inject, after_the_next_minutes, enough_for)
        assert not wrong, wrong


def test_redis_is_lost_between_two_runs(fixture: FaultFixture, halfway: Snapshot) -> None:
    """P3: an order with a new epoch is rebuilt from its beginning."""
    before = noted(fixture)
    fixture.flush()
    run(fixture, enough_for=0)
    after = noted(fixture)
    assert before
    assert after
    assert after.epoch != before.epoch
    assert after.done == FIRST_PAGES
    run(fixture)
    assert not whole(fixture)


def test_the_second_look_is_from_before_the_first_run(
    fixture: FaultFixture, halfway: Snapshot
) -> None:
    """P3: however late the resuming run is."""
    before = noted(fixture)
    fixture.world.advance(AN_HOUR)
    run(fixture, enough_for=0)
    after = noted(fixture)
    assert before
    assert after
    assert after.done > before.done
    assert after.began_millis == before.began_millis
    run(fixture)
    assert not whole(fixture)


def test_segments_are_declared_again_between_two_runs(
    fixture: FaultFixture, halfway: Snapshot
) -> None:
    """P6: entries restored before the change are in their segments too."""
    assert fixture.people.configure(segments=[["colour"]]).status == 200
    assert fixture.people.sign_up("zoe", key="zoe", attributes={"colour": "red"}).status == 201
    run(fixture, enough_for=0)
    rebuild = noted(fixture)
    assert rebuild
    assert rebuild.segments_version > 0
    assert rebuild.done == FIRST_PAGES
    run(fixture)
    fixture.world.maintain()
    assert not whole(fixture, *WITH_EVE, "zoe")
    waiting = fixture.people.segments().json["segments"]
    assert [(one["segment"], one["waiting"]) for one in waiting] == [({"colour": "red"}, 1)]


def test_people_come_and_go_in_the_runs_and_between_them(stores: Stores, lost: Snapshot) -> None:
    """P1, P3, P6: strict order, and the resuming run does not restore an ended entry."""

    def inject(fixture: FaultFixture) -> Fault:
        other = FaultFixture(fixture.stores).people
        return faults.before(lambda: other.sign_up("fay", key="fay"))

    stores.restore(lost)
    fixture = FaultFixture(stores)
    run(fixture, enough_for=0)
    for step in range(len(fixture.wire.names)):
        stores.restore(lost)
        fixture = FaultFixture(stores)
        fixture.wire.arm(step, inject(fixture))
        run(fixture, enough_for=0)
        fixture.wire.disarm()
        assert fixture.people.sign_up("gus", key="gus").json["position"] is None
        assert fixture.people.leave("bob").status == 204
        assert fixture.people.leave("dan").status == 204
        fixture.world.advance(AN_HOUR)
        assert fixture.people.sign_up("zoe", key="zoe").status == 201
        assert fixture.people.sign_up("dan", key="again").status == 201
        run(fixture)
        assert not whole(fixture, "ann", "cyd", "eve", "fay", "gus", "zoe", "dan"), step


def test_a_rebuild_that_ended_without_saying_so_is_soon_forgotten(
    fixture: FaultFixture, lost: Snapshot
) -> None:
    """P7: the order is complete, and the stale progress disappears within a minute."""
    run(fixture, enough_for=0)
    waitlist = fixture.world.services.waitlist_records.get("bakery")
    assert waitlist
    assert waitlist.rebuild
    run(fixture)
    stale = waitlist.rebuild
    records = fixture.world.services.waitlist_records
    assert records.take_lease(waitlist, "killed", 0, 1)
    assert records.renew_lease("bakery", "killed", 1, stale)
    fixture.world.maintain()
    assert not whole(fixture)


def test_a_run_without_the_lease_notes_no_progress(
    fixture: FaultFixture, halfway: Snapshot
) -> None:
    """P3: its progress may be behind that of the run which holds the lease."""
    before = noted(fixture)
    assert before
    behind = replace(before, reached={}, done=0)
    records = fixture.world.services.waitlist_records
    assert not records.renew_lease("bakery", "another", 1, behind)
    assert noted(fixture) == before
