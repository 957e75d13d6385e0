"""Runs a fixed selection of the cases, which is small enough for `make test`. `make proof` runs all
cases.

Single faults and late messages are tested in only one scenario for each operation, because the
first case in a scenario takes longest. The selection contains one in 256 single faults, or one in
1,024 if the operation has many steps, and one in 64 late messages. If an operation would have no
case, the selection for this operation is doubled until it has one.

Sequences of two faults are tested for one in 80 jobs, with one in 40 sequences.

Two operations that run at once are a pair. The selection contains a pair of each operation with a
poll, and one in 14 of each operation's pairs with an erasure. It also contains one in 720 of the
pairs in which neither operation has many steps. If a pair contains one of the longest operations,
only the pair's first two results are checked.
"""

from itertools import islice

import pytest

from tests.deployment.documents import read_tables
from tests.reliability.model import pairs
from tests.reliability.model.cases import EVERYTHING, Result, Sample, number_of
from tests.reliability.model.jobs import Job, jobs, replay
from tests.reliability.model.known_failures import KNOWN_FAILURES, KnownFailure, group_of
from tests.reliability.model.late import CHECKED
from tests.reliability.model.operations import BY_NAME, OPERATIONS, Operation
from tests.reliability.model.report import text_of
from tests.reliability.model.testbed import Testbed

SOME_FAULTS = 256
FEWER_FAULTS = 1024
SOME_SEQUENCES = Sample(one_in=40)
SOME_LATE = 64
SOME_PAIRS = Sample(one_in=720)
SOME_ERASURES = Sample(one_in=14)
FEW_ENDS = 2
# Operations whose late messages are tested in tests/queue.
OF_TAGS = ("ask", "confirm")
# If both operations run at once, the customer's place may be restored although the customer has
# just left.
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


def pairs_with_each(name: str) -> dict[tuple[str, ...], Job]:
    """Return jobs in which `name` runs together with a second operation, one job for each
    operation.

    If there are several such jobs, the one in the second operation's first scenario is chosen.
    """
    found: dict[tuple[str, ...], Job] = {}
    for job in jobs(name, ("pair",)):
        other = job.names[job.names[0] == name]
        if job.names not in found or job.scenario == BY_NAME[other].scenarios[0]:
            found[job.names] = job
    return found


def choose_pairs() -> list[Job]:
    some = {
        job.names: job
        for job in jobs(kinds=("pair",))
        if (SOME_PAIRS.has(job) or job == OF_A_LOST_PLACE)
        and not any(name in LONG for name in job.names)
    }
    erasures = {
        names: job for names, job in pairs_with_each("erase").items() if SOME_ERASURES.has(job)
    }
    return [*{**some, **pairs_with_each("look"), **erasures}.values()]


PAIRS = choose_pairs()
SEQUENCES = [job for job in jobs(kinds=("sequence",)) if job.names[0] not in LONG][::80]


def run_sample(testbed: Testbed, all_jobs: list[Job], one_in: int) -> list[Result]:
    job = min(all_jobs, key=number_of)
    while not (found := list(job.results(testbed, Sample(one_in)))):
        one_in //= 2
    return found


def describe_unknown_failures(results: list[Result]) -> str:
    found = [
        result
        for result in results
        if any(group_of(result, problem) is None for problem in result.problems)
    ]
    return "\n".join(map(text_of, found))


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_an_operation_that_a_fault_strikes_is_completed_or_undone(
    testbed: Testbed, operation: Operation
) -> None:
    """A fault happens at any step of an operation, and the client retries or gives up. The
    operation ends up either completed or undone (promises P1, P2, P3, P4, P6 and P7).
    """
    one_in = FEWER_FAULTS if operation.name in LONG else SOME_FAULTS
    results = run_sample(testbed, jobs(operation.name, ("single",)), one_in)
    assert not describe_unknown_failures(results), describe_unknown_failures(results)


@pytest.mark.parametrize("job", PAIRS, ids=str)
def test_two_operations_at_once_have_the_effect_of_one_after_the_other(
    testbed: Testbed, job: Job
) -> None:
    """Two operations run at once, with their steps interleaved in any order. The result is the same
    as if one operation had run after the other (promises P1, P2, P3, P4 and P6).
    """
    most = FEW_ENDS if any(name in pairs.LONG for name in job.names) else None
    results = list(islice(job.results(testbed, EVERYTHING), most))
    assert results
    assert not describe_unknown_failures(results), describe_unknown_failures(results)


@pytest.mark.parametrize("job", SEQUENCES, ids=str)
def test_two_faults_lose_nothing_that_was_acknowledged(testbed: Testbed, job: Job) -> None:
    """A request gets no response, and then Redis loses its data before maintenance has run. Nothing
    that a client was told is lost (promises P2 and P3).
    """
    results = list(job.results(testbed, SOME_SEQUENCES))
    assert not describe_unknown_failures(results), describe_unknown_failures(results)


@pytest.mark.parametrize("operation", [one for one in CHECKED if one not in OF_TAGS])
def test_a_late_message_does_not_change_the_next_stay_offer_or_parking(
    testbed: Testbed, operation: str
) -> None:
    """A message that reaches Redis late or twice does not change what has happened to the entry in
    the meantime (promise P2).
    """
    results = run_sample(testbed, jobs(operation, ("late",)), SOME_LATE)
    assert not describe_unknown_failures(results), describe_unknown_failures(results)


def test_every_operation_is_part_of_a_pair() -> None:
    assert {name for job in PAIRS for name in job.names} == set(BY_NAME)


@pytest.mark.parametrize("known", KNOWN_FAILURES, ids=lambda known: known.name)
def test_a_known_failure_still_fails(testbed: Testbed, known: KnownFailure) -> None:
    """A known failure that no longer fails must be removed from the list of known failures."""
    result = replay(testbed, known.example)
    groups = {group_of(result, problem) for problem in result.problems}
    assert known in groups, f"{known.example} came to {result.problems}"


@pytest.mark.parametrize(
    "line",
    [
        # A customer signs up again after the invitation was stored.
        "invite / waiting, policy / late after the next stay / step 4 / gives up",
        # Admissions are over, so maintenance removes the customer between two requests.
        "leave / admission over, to leave / late after the next stay's hold / step 2 / gives up",
        # An operator claims a customer who is away, and later makes offers to others.
        "claim one / away / late after an offer / step 1 / a copy follows",
        # A repeated invitation makes no second offer.
        "invite / invited / Redis, unseen, 1 behind / step 0 / gives up",
        # Redis has an offer that the index still contains, and admissions end.
        "invite / offered until the end / rebuilt from an index 2 behind / step 0 / gives up",
        # Redis has an offer that the record has replaced, and admissions end.
        "invite / offered until the end / Redis, unseen, 5 behind / step 15 / gives up",
        # The offer ends in Redis before Redis learns that the customer has left.
        "leave / invited / late after an offer / step 2 / gives up",
    ],
)
def test_a_repaired_case_does_not_fail_again(testbed: Testbed, line: str) -> None:
    result = replay(testbed, line)
    assert not result.problems, text_of(result)


def test_a_case_does_not_depend_on_the_case_before(testbed: Testbed) -> None:
    """Each case uses new processes, because old ones could have the previous case's settings in
    their caches.
    """
    for scenario in ("waiting", "waiting, policy", "waiting"):
        result = replay(testbed, f"dequeue / {scenario} / crash before / step 0 / retries")
        assert not result.problems


def test_the_guarantees_list_the_known_failures() -> None:
    """docs/internals/guarantees.md has a row for each known failure."""
    tables = read_tables("docs/internals/guarantees.md")
    (causes,) = [rows for rows in tables if "rows" in rows[0]]
    listed = {row["name of the cause in `known_failures.py`"]: row["rows"] for row in causes}
    assert list(listed) == [known.name for known in KNOWN_FAILURES]
    rows = {row[""] for rows in tables for row in rows if "for how long" in row}
    assert {name for names in listed.values() for name in names.split(", ")} <= rows
