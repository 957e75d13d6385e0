"""Interrupts maintenance at each step while it builds a waitlist's segments, runs it twice, or
sends other requests in between.

Afterwards, all segments must be complete.
"""

from collections.abc import Callable

import pytest

from tests.reliability.faults.fixture import FaultFixture, Stores, at_each_step
from tests.support import faults
from tests.support.faults import Fault
from tests.support.segmented import BY_BOTH, BY_GENDER, BY_LANGUAGE, DIFFERENT_STATES, Segmented
from tests.support.snapshot import Snapshot
from waitlist_api.waitlists import reindex

Inject = Callable[[FaultFixture], Fault]
Declared = tuple[tuple[str, ...], ...]
FEW = 2


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reindex, "PAGE", FEW)


def people_of(fixture: FaultFixture) -> Segmented:
    return Segmented(fixture.world, names=fixture.people.names)


@pytest.fixture
def building(stores: Stores) -> Snapshot:
    fixture = FaultFixture(stores)
    people = people_of(fixture)
    people.declare(BY_BOTH, lease_seconds=36_000)
    people.arrive("ann", language="Spanish", gender="F")
    people.arrive("bob", language=["Spanish", "French"], gender="M")
    people.arrive("cyd", language="French", gender="M")
    people.arrive("dan", gender="M")
    people.arrive("eve", language="French", gender=["F", "X"])
    assert people.claimed(2) == ["ann", "bob"]
    people.park("bob")
    people.declare(BY_LANGUAGE, BY_GENDER, lease_seconds=36_000)
    return stores.snapshot()


def problems_with_faults(
    stores: Stores, before: Snapshot, inject: Inject, outcome: Callable[[FaultFixture], list[str]]
) -> str:
    return at_each_step(stores, before, FaultFixture.maintain_one, inject, outcome)


def problems_if_ready(fixture: FaultFixture) -> list[str]:
    """Return no problems while the segments are marked as `building`, because the service does not
    use them yet (promise P7).
    """
    people = people_of(fixture)
    if fixture.is_cold() or people.states()[1] == "building":
        return []
    wrong = people.contradictions()
    # Until maintenance next runs, DynamoDB's state may be older than Redis'.
    return [one for one in wrong if not one.startswith(DIFFERENT_STATES)]


def problems_after_the_next_run(fixture: FaultFixture) -> list[str]:
    early = problems_if_ready(fixture)
    fixture.world.maintain()
    return [*early, *people_of(fixture).contradictions()]


def problems_after_two_runs(fixture: FaultFixture) -> list[str]:
    fixture.world.maintain()
    return people_of(fixture).contradictions() and problems_after_the_next_run(fixture)


@pytest.mark.parametrize("fault", [faults.crash_after, faults.unheard])
def test_the_next_run_completes_an_interrupted_reindexing(
    stores: Stores, building: Snapshot, fault: Fault
) -> None:
    """After a crash at any step, the segments are either correct or marked as `building`, and the
    next run completes them (promises P3 and P7).
    """
    wrong = problems_with_faults(stores, building, lambda _: fault, problems_after_the_next_run)
    assert not wrong, wrong


@pytest.mark.parametrize("fault", [faults.delivered_twice, faults.throttled])
def test_refused_and_repeated_steps_of_a_reindexing_do_no_harm(
    stores: Stores, building: Snapshot, fault: Fault
) -> None:
    """P2, P3"""
    wrong = problems_with_faults(stores, building, lambda _: fault, problems_after_the_next_run)
    assert not wrong, wrong


@pytest.mark.parametrize("lose", [FaultFixture.flush, FaultFixture.rebuild_elsewhere])
def test_segments_are_built_although_redis_is_lost_meanwhile(
    stores: Stores, building: Snapshot, lose: Callable[[FaultFixture], None]
) -> None:
    """Segments are completed even if Redis loses its data at any step, whether or not another
    process has rebuilt the queue in the meantime (promises P3 and P7).
    """

    def inject(fixture: FaultFixture) -> Fault:
        return faults.before(lambda: lose(fixture))

    wrong = problems_with_faults(stores, building, inject, problems_after_two_runs)
    assert not wrong, wrong


@pytest.mark.parametrize("minutes", [0, 10])
def test_two_runs_can_build_segments_at_once(
    stores: Stores, building: Snapshot, minutes: int
) -> None:
    """While one run is building the segments, a second run does nothing. If the first run has not
    finished when its lease expires, the second run builds all segments (promise P2).
    """

    def inject(fixture: FaultFixture) -> Fault:
        return faults.before(lambda: fixture.maintain_elsewhere(minutes))

    wrong = problems_with_faults(stores, building, inject, problems_after_the_next_run)
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("kind", "declared"),
    [("built", ()), ("rebuilt", (BY_LANGUAGE, BY_GENDER))],
    ids=str,
)
def test_segments_that_change_again_during_a_build_are_built(
    stores: Stores, building: Snapshot, kind: str, declared: Declared
) -> None:
    """If an operator changes the segments again while they are being built, the newest segments win
    (promise P3).
    """
    if kind == "rebuilt":
        stores.restore(building)
        stores.redis.flushall()
        building = stores.snapshot()

    def inject(fixture: FaultFixture) -> Fault:
        other = people_of(FaultFixture(fixture.stores))

        def change() -> None:
            other.declare(*declared, lease_seconds=36_000)

        return faults.before(change)

    def outcome(fixture: FaultFixture) -> list[str]:
        found = problems_after_two_runs(fixture)
        settings = people_of(fixture).config().settings
        return found if settings.segments == declared else [*found, f"they are {settings}"]

    wrong = problems_with_faults(stores, building, inject, outcome)
    assert not wrong, wrong


def test_segments_that_change_during_a_build_are_built_in_the_same_run(
    stores: Stores, building: Snapshot
) -> None:
    """If an operator changes the segments while maintenance is building them, the same maintenance
    run builds the new segments too.
    """

    def inject(fixture: FaultFixture) -> Fault:
        other = people_of(FaultFixture(fixture.stores))
        return faults.before(lambda: other.declare(BY_BOTH))

    def outcome(fixture: FaultFixture) -> list[str]:
        return people_of(fixture).contradictions()

    wrong = problems_with_faults(stores, building, inject, outcome).splitlines()
    late = [line for line in wrong if int(line.split()[1]) <= find_last_query(stores, building)]
    assert not late, late


def find_last_query(stores: Stores, before: Snapshot) -> int:
    stores.restore(before)
    fixture = FaultFixture(stores)
    fixture.maintain_one()
    invocations = [(step, call) for step, call in enumerate(fixture.wire.calls) if call.is_invoke]
    return max(step for step, call in invocations if faults.operation_of(call) == "untagged")


def test_entries_may_change_while_segments_are_built(stores: Stores, building: Snapshot) -> None:
    """Entries' attributes may change while segments are being built.

    Each entry ends up in the segments for its newest attributes (promises P1, P3 and P6).
    """

    def inject(fixture: FaultFixture) -> Fault:
        people = people_of(FaultFixture(fixture.stores))

        def come_go_and_change() -> None:
            people.arrive("zoe", language="Spanish")
            assert people.leave("cyd").status == 204
            assert (
                people.sign_up("cyd", key="again", attributes={"language": "Dutch"}).status == 201
            )
            assert people.erase("eve").status == 204
            people.arrive("eve", language="Dutch")
            assert people.bump("dan", key="dan", to="back").status == 200

        return faults.before(come_go_and_change)

    wrong = problems_with_faults(stores, building, inject, problems_after_two_runs)
    assert not wrong, wrong


@pytest.mark.parametrize(
    ("fault", "declared"),
    [
        (faults.crash_after, ()),
        (faults.crash_after, (BY_BOTH,)),
        (faults.lost, (BY_LANGUAGE, BY_GENDER)),
        (faults.unheard, (BY_BOTH,)),
    ],
)
def test_an_interrupted_change_of_segments_applies_wholly_or_not_at_all(
    stores: Stores, building: Snapshot, fault: Fault, declared: Declared
) -> None:
    """An interrupted change to the segments takes effect completely or not at all. After
    maintenance, the entries are in the segments that GET returns (promise P3).
    """

    def change(fixture: FaultFixture) -> None:
        people_of(fixture).declare(*declared, lease_seconds=36_000)

    def outcome(fixture: FaultFixture) -> list[str]:
        fixture.world.maintain()
        return people_of(fixture).contradictions()

    wrong = at_each_step(stores, building, change, lambda _: fault, outcome)
    assert not wrong, wrong
