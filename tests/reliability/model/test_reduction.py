"""Tests that the model checker reaches every final state, even though it skips some orders of the
steps.
"""

import pytest

from tests.reliability.model import pairs
from tests.reliability.model.jobs import Job
from tests.reliability.model.operations import BY_NAME
from tests.reliability.model.pairs import PairRun
from tests.reliability.model.scheduler import Scheduler
from tests.reliability.model.test_mutants import nothing
from tests.reliability.model.testbed import Testbed
from waitlist_api.entries.leave import Leaves

PAIRS = [
    (("leave", "release"), "waiting"),
    (("leave", "complete"), "held"),
]
Problems = frozenset[tuple[str, str]]


def problems_of(testbed: Testbed, job: Job) -> tuple[set[Problems], int]:
    results = list(job.results(testbed))
    found = {
        frozenset((problem.kind, problem.text) for problem in result.problems) for result in results
    }
    return found, len(results)


def search_with_and_without_reduction(
    testbed: Testbed, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], scenario: str
) -> set[Problems]:
    job = Job(names, scenario, "pair")
    some, fewer = problems_of(testbed, job)
    monkeypatch.setattr(Scheduler, "is_reduced", False)
    every, more = problems_of(testbed, job)
    assert some == every
    assert fewer < more
    return some


LIMITED = [
    ("complete", "extend", "held", 2),
    ("leave", "rebuild", "waiting, Redis lost", 1),
]
End = tuple[tuple[bytes, ...], tuple[str, ...]]


def ends_of(testbed: Testbed, run: PairRun) -> list[End]:
    """Return the contents of the stores and the responses after each run. Times are left out,
    because they differ between runs.
    """
    return [
        (
            tuple(text.digest for text in testbed.texts()),
            tuple(sorted(str(attempt.answer) for attempt in run.history.attempts)),
        )
        for _ in run.turns.ends()
    ]


@pytest.mark.parametrize(("first", "second", "scenario", "most_changes"), LIMITED)
def test_with_a_limit_on_changes_every_end_is_still_found(
    testbed: Testbed,
    monkeypatch: pytest.MonkeyPatch,
    first: str,
    second: str,
    scenario: str,
    most_changes: int,
) -> None:
    monkeypatch.setattr(pairs, "LONG", (first,))
    monkeypatch.setattr(pairs, "MOST_CHANGES", most_changes)
    run = PairRun(testbed, (BY_NAME[first], BY_NAME[second]), testbed.snapshot_of(scenario))
    some = ends_of(testbed, run)
    monkeypatch.setattr(Scheduler, "is_reduced", False)
    every = ends_of(testbed, run)
    assert set(some) == set(every)
    assert len(some) < len(every)


@pytest.mark.parametrize(("names", "scenario"), PAIRS)
def test_the_orders_that_are_left_out_show_nothing_else(
    testbed: Testbed, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], scenario: str
) -> None:
    search_with_and_without_reduction(testbed, monkeypatch, names, scenario)


def test_both_find_a_step_that_is_forgotten(
    testbed: Testbed, monkeypatch: pytest.MonkeyPatch
) -> None:
    testbed.snapshot_of("waiting")
    monkeypatch.setattr(Leaves, "finish", nothing)
    found = search_with_and_without_reduction(testbed, monkeypatch, ("leave", "look"), "waiting")
    assert any(found)
