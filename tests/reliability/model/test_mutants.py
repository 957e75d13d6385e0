"""Tests that the model checker notices when a step is removed from the service."""

from typing import Any

import pytest
from msgspec.structs import replace

from tests.reliability.model.jobs import Job
from tests.reliability.model.known_failures import group_of
from tests.reliability.model.testbed import Testbed
from waitlist_api.admission.holds import Holds
from waitlist_api.entries.leave import Leaves
from waitlist_api.maintenance.reconcile import Reconciler
from waitlist_api.queue.recovering import RecoveringQueue
from waitlist_api.records.entries import EntryRecords
from waitlist_api.records.imports import ImportRecords
from waitlist_api.records.transitions import Transitions
from waitlist_shared import contracts as c


def nothing(*_: Any, **__: Any) -> None:
    """Leave out a step."""


# Each row replaces one of the service's methods with a method that does nothing. The model checker
# must notice this with the given operation and scenario.
MUTANTS = [
    (Leaves, "finish", ("leave",), "waiting"),
    (EntryRecords, "finish_join", ("signup",), "absent"),
    (EntryRecords, "cancel_join", ("signup",), "full"),
    (EntryRecords, "record_bump", ("bump to the front",), "waiting"),
    (Transitions, "record", ("complete",), "held"),
    (Transitions, "record", ("release to the back",), "held"),
    (Reconciler, "reconcile", ("expiry",), "over"),
    (ImportRecords, "begin", ("import",), "two absent"),
    (EntryRecords, "cancel_join", ("import",), "room for one"),
]


@pytest.mark.parametrize(("owner", "step", "names", "scenario"), MUTANTS)
def test_a_missing_step_is_found(
    testbed: Testbed,
    monkeypatch: pytest.MonkeyPatch,
    owner: type,
    step: str,
    names: tuple[str, ...],
    scenario: str,
) -> None:
    testbed.snapshot_of(scenario)
    monkeypatch.setattr(owner, step, nothing)
    results = Job(names, scenario, "single").results(testbed)
    assert any(
        group_of(result, problem) is None for result in results for problem in result.problems
    )


@pytest.mark.parametrize(
    ("operation", "scenario", "message", "without"),
    [
        ("exit", "inside, full", c.Exit, {"ticket": None}),
        ("decline", "offered", c.Decline, {"offered_until_millis": None, "token": ""}),
        ("bump to the front", "waiting", c.Bump, {"ticket": None}),
        ("admit one", "waiting, policy", c.Admit, {"ticket": None}),
        ("redrive", "parked", c.Redrive, {"parked_millis": None}),
        ("withdraw", "slot of a schedule", c.Withdraw, {"offered_until_millis": None, "token": ""}),
    ],
    ids=str,
)
def test_a_message_that_lacks_its_reference_is_found(
    testbed: Testbed,
    monkeypatch: pytest.MonkeyPatch,
    operation: str,
    scenario: str,
    message: type[c.Request],
    without: dict[str, Any],
) -> None:
    testbed.snapshot_of(scenario)
    for name in ("read", "write"):
        send = getattr(RecoveringQueue, name)

        def sent(queue: Any, request: c.Request, *, send: Any = send, **more: Any) -> Any:
            if isinstance(request, message):
                request = replace(request, **without)
            return send(queue, request, **more)

        monkeypatch.setattr(RecoveringQueue, name, sent)
    results = Job((operation,), scenario, "late").results(testbed)
    assert any(
        group_of(result, problem) is None for result in results for problem in result.problems
    )


def ends_in_redis(
    _reconciler: Reconciler, _records: Any, expired: c.ExpireResult
) -> dict[str, int]:
    return {place.entry_id: place.time_millis for place in expired.places}


def result_of_redis(_holds: Holds, _verb: Any, _command: Any, result: Any) -> Any:
    return result


@pytest.mark.parametrize(
    ("owner", "step", "mutant", "operation"),
    [
        (Reconciler, "_start_time_inside", ends_in_redis, "expiry"),
        (Holds, "_begin_time_inside", result_of_redis, "enter"),
    ],
)
def test_a_pass_that_begins_before_it_is_available_is_found(
    testbed: Testbed,
    monkeypatch: pytest.MonkeyPatch,
    owner: type,
    step: str,
    mutant: Any,
    operation: str,
) -> None:
    testbed.snapshot_of("enter unrecorded")
    monkeypatch.setattr(owner, step, mutant)
    results = Job((operation,), "enter unrecorded", "single").results(testbed)
    assert any(
        (problem.kind, group_of(one, problem)) == ("inside", None)
        for one in results
        for problem in one.problems
    )
