"""Runs a short load test on the whole local service.

The test ends after a number of operations, so it does not depend on the machine's speed.
"""

from collections import Counter

from tests.reliability.load.client import MOST_TIMES, Load
from tests.reliability.load.people import people_of, totals
from tests.reliability.load.plan import Plan
from tests.reliability.load.run import run

# This test's private function runs one call at a time and refuses all others, as Lambda does at its
# concurrency limit.
OPERATIONS = 300
KINDS = frozenset({"signup", "repeat", "look", "leave", "claim", "admit", "enter", "bump", "stats"})
PLAN = Plan(clients=8, operations=OPERATIONS, kinds=KINDS, private_concurrency=1, lease_seconds=3)


def test_clients_that_are_throttled_retry_and_nothing_is_lost() -> None:
    """Clients retry requests that a limit refuses.

    In the end, no response contradicts the stored data (promises P1, P2, P3, P4 and P6).
    """
    notes: list[tuple[str, float]] = []
    done = run(PLAN, lambda what, part: notes.append((what, part)))
    assert [str(problem) for problem in done.problems] == []
    outcomes = Counter(operation.outcome for operation in done.history.operations)
    assert outcomes["unknown"] == 0, "each operation was taken to its end"
    assert outcomes["done"] + outcomes["refused"] >= OPERATIONS
    acknowledged = totals(people_of(done.history))
    assert acknowledged["signed up"] == done.final_state.stats["signed_up"] > 50
    assert done.final_state.stats["offered"] == 0
    assert {operation.kind for operation in done.history.operations} >= KINDS
    assert all(0 <= part <= 1 for _, part in notes)


def test_a_load_continues_until_each_kind_has_begun_but_not_for_ever() -> None:
    patient, hopeless = Load(3, {"enter"}), Load(3, {"enter"})
    for kind, is_over in (*[("look", False)] * 5, ("enter", True)):
        patient.begin_operation(kind)
        assert patient.is_over is is_over
    for number in range(1, 3 * MOST_TIMES + 1):
        hopeless.begin_operation("look")
        assert hopeless.is_over is (number == 3 * MOST_TIMES)
