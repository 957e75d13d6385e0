"""A fixed choice of all the cases; `make proof` runs all of them.

One single fault in six, in eighteen of the operations that have the most; every interleaving of one
pair in thirteen, of one pair with an import in 25, and of one pair with a rebuild, or with people
put into segments, in some sixty, which have ten times as many.
"""

import pytest

from proof import operations
from proof.cases import EVERYTHING, Result, Sample
from proof.jobs import Job, jobs, replay
from proof.known import KNOWN, Known, group_of
from proof.operations import OPERATIONS, Operation
from proof.report import told
from proof.stage import Stage

SOME_FAULTS = Sample(one_in=6)
FEWER_FAULTS = Sample(one_in=18)
IMPORTS = ("import", "import of those of one time", "import again")
LONG = ("rebuild", "segment re-index", "declaration of segments", *IMPORTS)
SOME_PAIRS = Sample(one_in=13)
SOME_REBUILDS = Sample(one_in=55)
SOME_REINDEXES = Sample(one_in=60)
SOME_IMPORTS = Sample(one_in=25)


def is_chosen(job: Job) -> bool:
    if "segment re-index" in job.names:
        return SOME_REINDEXES.has(job)
    if any(name in IMPORTS for name in job.names):
        return SOME_IMPORTS.has(job)
    return (SOME_REBUILDS if "rebuild" in job.names else SOME_PAIRS).has(job)


PAIRS = [job for job in jobs(with_singles=False) if is_chosen(job)]


def news(results: list[Result]) -> str:
    """Tell of the cases that fail for a reason that is not known."""
    found = [
        result
        for result in results
        if any(group_of(result, problem) is None for problem in result.problems)
    ]
    return "\n".join(map(told, found))


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_a_struck_operation_is_whole_in_the_end(stage: Stage, operation: Operation) -> None:
    """P1, P2, P3, P4, P6, P7: at each step, whether the client retries or gives up."""
    sample = FEWER_FAULTS if operation.name in LONG else SOME_FAULTS
    results = [
        result
        for beginning in operation.beginnings
        for result in Job((operation.name,), beginning).results(stage, sample)
    ]
    assert results
    assert not news(results), news(results)


@pytest.mark.parametrize("job", PAIRS, ids=str)
def test_two_operations_on_one_person_end_as_one_after_the_other(stage: Stage, job: Job) -> None:
    """P1, P2, P3, P4, P6: in every order of their steps."""
    results = list(job.results(stage, EVERYTHING))
    assert results
    assert not news(results), news(results)


def test_every_operation_takes_part_in_some_pair() -> None:
    assert {name for job in PAIRS for name in job.names} == set(operations.BY_NAME)


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_what_is_known_to_fail_fails_still(stage: Stage, known: Known) -> None:
    """Whoever repairs it takes the group off the list."""
    result = replay(stage, known.example)
    groups = {group_of(result, problem) for problem in result.problems}
    assert known in groups, f"{known.example} came to {result.problems}"
