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
    ("leave", "release", "waiting"),
    ("leave", "complete", "held"),
]
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
    assert_same_ends(testbed, monkeypatch, first, second, scenario)


@pytest.mark.parametrize(("first", "second", "scenario"), PAIRS)
def test_the_orders_that_are_left_out_lead_to_no_other_end(
    testbed: Testbed, monkeypatch: pytest.MonkeyPatch, first: str, second: str, scenario: str
) -> None:
    assert_same_ends(testbed, monkeypatch, first, second, scenario)


def assert_same_ends(
    testbed: Testbed, monkeypatch: pytest.MonkeyPatch, first: str, second: str, scenario: str
) -> None:
    """The reduced set of step orders must lead to the same end states as all orders."""
    run = PairRun(testbed, (BY_NAME[first], BY_NAME[second]), testbed.snapshot_of(scenario))
    some = ends_of(testbed, run)
    monkeypatch.setattr(Scheduler, "is_reduced", False)
    every = ends_of(testbed, run)
    assert set(some) == set(every)
    assert len(some) < len(every)


@pytest.mark.parametrize("is_reduced", [True, False])
def test_a_step_that_is_forgotten_is_found(
    testbed: Testbed, monkeypatch: pytest.MonkeyPatch, is_reduced: bool
) -> None:
    testbed.snapshot_of("waiting")
    monkeypatch.setattr(Leaves, "finish", nothing)
    monkeypatch.setattr(Scheduler, "is_reduced", is_reduced)
    results = Job(("leave", "look"), "waiting", "pair").results(testbed)
    assert any(result.problems for result in results)
