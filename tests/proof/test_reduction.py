"""What is run once for many orders of steps shows what all of them would."""

import pytest

from proof import turns
from proof.jobs import Job
from proof.stage import Stage

PAIRS = [
    (("leave", "complete"), "held"),
    (("rejoin", "dequeue"), "waiting"),
    (("signup", "claim the newest"), "absent"),
    (("signup again", "erase"), "waiting"),
    (("import", "bump by places"), "leaving"),
]


def kinds_of(stage: Stage, job: Job) -> tuple[set[frozenset[str]], int]:
    results = list(job.results(stage))
    kinds = {frozenset(problem.kind for problem in result.problems) for result in results}
    return kinds, len(results)


@pytest.mark.parametrize(("names", "beginning"), PAIRS)
def test_the_orders_that_are_left_out_show_nothing_else(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], beginning: str
) -> None:
    job = Job(names, beginning)
    some, fewer = kinds_of(stage, job)
    monkeypatch.setattr(turns, "_is_repeat", lambda *_: False)
    every, more = kinds_of(stage, job)
    assert some == every
    assert fewer < more
