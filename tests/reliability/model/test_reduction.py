"""What is run once for many orders of steps shows what all of them would."""

import pytest

from tests.reliability.model.jobs import Job
from tests.reliability.model.stage import Stage
from tests.reliability.model.test_mutants import nothing
from tests.reliability.model.turns import Turns
from waitlist_api.entries.leave import Leaves

PAIRS = [
    (("leave", "release"), "waiting"),
    (("remove", "redrive"), "held"),
    (("bump by places", "extend"), "waiting"),
]
Problems = frozenset[tuple[str, str]]


def problems_of(stage: Stage, job: Job) -> tuple[set[Problems], int]:
    results = list(job.results(stage))
    found = {
        frozenset((problem.kind, problem.text) for problem in result.problems) for result in results
    }
    return found, len(results)


def in_both_ways(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], beginning: str
) -> set[Problems]:
    """Run a pair with and without reduction; return what both have found."""
    job = Job(names, beginning, "pair")
    some, fewer = problems_of(stage, job)
    monkeypatch.setattr(Turns, "is_reduced", False)
    every, more = problems_of(stage, job)
    assert some == every
    assert fewer < more
    return some


@pytest.mark.parametrize(("names", "beginning"), PAIRS)
def test_the_orders_that_are_left_out_show_nothing_else(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], beginning: str
) -> None:
    in_both_ways(stage, monkeypatch, names, beginning)


def test_both_find_a_step_that_is_forgotten(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.moment_of("waiting")
    monkeypatch.setattr(Leaves, "finish", nothing)
    found = in_both_ways(stage, monkeypatch, ("leave", "look"), "waiting")
    assert any(found)
