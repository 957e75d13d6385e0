"""A fixed selection of the cases, short enough for `make test`; `make proof` runs all.

Single faults and late messages, from two scenarios of each operation, because a scenario's first
case takes longest: one fault in 100, or one in 400 for long operations; one message in 32.
Sequences of two faults: one in 40, for one job in twenty. Pairs: every operation with a poll and
with an erasure, and one other pair in 360; all their ends, but only the first two of a rebuild. An
operation of which that leaves none has more.
"""

from itertools import islice

import pytest

from tests.deployment.documents import tables_of
from tests.reliability.model import pairs
from tests.reliability.model.cases import EVERYTHING, Result, Sample, number_of
from tests.reliability.model.jobs import Job, jobs, replay
from tests.reliability.model.known_failures import KNOWN_FAILURES, KnownFailure, group_of
from tests.reliability.model.late import CHECKED
from tests.reliability.model.operations import BY_NAME, OPERATIONS, Operation
from tests.reliability.model.report import text_of
from tests.reliability.model.testbed import Testbed

SCENARIOS = 2
SOME_FAULTS = (Sample(one_in=100), Sample(one_in=25))
FEWER_FAULTS = (Sample(one_in=400), Sample(one_in=50))
SOME_SEQUENCES = Sample(one_in=40)
SOME_LATE = (Sample(one_in=32), Sample(one_in=8))
SOME_PAIRS = Sample(one_in=360)
FEW_ENDS = 2
# Their late messages are those of any change of readiness, which tests/queue sends late.
OF_TAGS = ("ask", "confirm")
# A place that is restored after its stay has ended.
OF_A_LOST_PLACE = Job(("leave", "redrive"), "parked forgotten", "pair")
LONG = (
    "rebuild",
    "end of questions",
    "segment re-index",
    "declaration of segments",
    "import",
    "import of those of one time",
    "import again",
)


def beside_each(name: str) -> dict[tuple[str, ...], Job]:
    """Return one job for each pair of this operation with another.

    It begins from the first scenario of the other operation, in which that operation writes.
    """
    found: dict[tuple[str, ...], Job] = {}
    for job in jobs(name, ("pair",)):
        other = job.names[job.names[0] == name]
        if job.names not in found or job.scenario == BY_NAME[other].scenarios[0]:
            found[job.names] = job
    return found


def chosen_pairs() -> list[Job]:
    some = {
        job.names: job
        for job in jobs(kinds=("pair",))
        if (SOME_PAIRS.has(job) or job == OF_A_LOST_PLACE)
        and not any(name in LONG for name in job.names)
    }
    return [*{**some, **beside_each("look"), **beside_each("erase")}.values()]


PAIRS = chosen_pairs()
SEQUENCES = [job for job in jobs(kinds=("sequence",)) if job.names[0] not in LONG][::20]


def chosen(testbed: Testbed, all_jobs: list[Job], samples: tuple[Sample, ...]) -> list[Result]:
    """Return the results of two of the jobs, by the first sample that has cases of them."""
    some = sorted(all_jobs, key=number_of)[:SCENARIOS]
    for sample in samples:
        if found := [result for job in some for result in job.results(testbed, sample)]:
            return found
    return []


def news(results: list[Result]) -> str:
    """Return the cases that fail for an unknown reason, as text."""
    found = [
        result
        for result in results
        if any(group_of(result, problem) is None for problem in result.problems)
    ]
    return "\n".join(map(text_of, found))


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_an_operation_struck_by_a_fault_ends_complete(
    testbed: Testbed, operation: Operation
) -> None:
    """P1, P2, P3, P4, P6, P7: at each step, whether the client retries or gives up."""
    samples = FEWER_FAULTS if operation.name in LONG else SOME_FAULTS
    results = chosen(testbed, jobs(operation.name, ("single",)), samples)
    assert results
    assert not news(results), news(results)


@pytest.mark.parametrize("job", PAIRS, ids=str)
def test_two_operations_on_one_person_end_as_one_after_the_other(
    testbed: Testbed, job: Job
) -> None:
    """P1, P2, P3, P4, P6: in every order of their steps."""
    most = FEW_ENDS if any(name in pairs.LONG for name in job.names) else None
    results = list(islice(job.results(testbed, EVERYTHING), most))
    assert results
    assert not news(results), news(results)


@pytest.mark.parametrize("job", SEQUENCES, ids=str)
def test_nothing_acknowledged_is_lost_by_two_faults(testbed: Testbed, job: Job) -> None:
    """P2, P3: a request gets no answer, and Redis is lost before maintenance has run."""
    results = list(job.results(testbed, SOME_SEQUENCES))
    assert not news(results), news(results)


@pytest.mark.parametrize("operation", [one for one in CHECKED if one not in OF_TAGS])
def test_a_late_message_leaves_the_next_stay_offer_and_parking(
    testbed: Testbed, operation: str
) -> None:
    """P2: it arrives when the entry has another one, or it arrives twice."""
    results = chosen(testbed, jobs(operation, ("late",)), SOME_LATE)
    assert results
    assert not news(results), news(results)


def test_every_operation_takes_part_in_some_pair() -> None:
    assert {name for job in PAIRS for name in job.names} == set(BY_NAME)


@pytest.mark.parametrize("known", KNOWN_FAILURES, ids=lambda known: known.name)
def test_a_known_failure_still_fails(testbed: Testbed, known: KnownFailure) -> None:
    """A repair must remove its group from the list."""
    result = replay(testbed, known.example)
    groups = {group_of(result, problem) for problem in result.problems}
    assert known in groups, f"{known.example} came to {result.problems}"


def test_a_case_is_independent_of_the_case_before(testbed: Testbed) -> None:
    """The retry goes to another process, which has cached the list with its policy."""
    for scenario in ("waiting", "waiting, policy", "waiting"):
        result = replay(testbed, f"dequeue / {scenario} / crash before / step 0 / retries")
        assert not result.problems


def test_the_guarantees_list_the_known_failures() -> None:
    """The page maps each cause to rows of its tables."""
    tables = tables_of("docs/internals/guarantees.md")
    (causes,) = [rows for rows in tables if "rows" in rows[0]]
    listed = {row["name of the cause in `known_failures.py`"]: row["rows"] for row in causes}
    assert list(listed) == [known.name for known in KNOWN_FAILURES]
    rows = {row[""] for rows in tables for row in rows if "for how long" in row}
    assert {name for names in listed.values() for name in names.split(", ")} <= rows
