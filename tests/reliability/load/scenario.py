"""A small example for testing the checkers: some requests with correct responses, and the data
stored at the end.

Each test changes one detail, and the checkers must report a problem.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.reliability.load.final_state import FinalState, Seen
from tests.reliability.load.history import Attempt, History, Operation, Outcome
from tests.reliability.load.oracle import judge

LEASE_SECONDS = 20.0


@dataclass
class Scenario:
    history: History = field(default_factory=History)
    now: float = 0.0

    def did(
        self,
        kind: str,
        person: str,
        outcome: Outcome = "done",
        answer: Any = None,
        asked: Mapping[str, Any] | None = None,
        status: int | None = None,
        code: str = "",
    ) -> Operation:
        operation = Operation(
            kind=kind,
            person=person,
            outcome=outcome,
            began=self.now,
            ended=self.now + 0.5,
            asked=asked or {},
            answer=answer,
        )
        usual = {"done": 200, "refused": 409, "unknown": 503}[outcome]
        retry_after = "2" if outcome == "unknown" else ""
        self.history.operations.append(operation)
        self.answered(kind, status or usual, code or outcome * (outcome == "unknown"), retry_after)
        self.now += 1
        return operation

    def answered(self, kind: str, status: int, code: str = "", retry_after: str = "") -> None:
        attempt = Attempt(kind, self.now, self.now + 0.5, status, code, retry_after)
        self.history.attempts.append(attempt)

    def signed_up(self, person: str, outcome: Outcome = "done") -> Operation:
        return self.did("signup", person, outcome, named(person))

    def claimed(self, *people: str, token: str = "") -> Operation:
        claims = [
            {"customer_id": name, "entry_id": f"id-{name}", "claim_token": token or f"t-{name}"}
            for name in people
        ]
        return self.did("claim", "", answer={"claims": claims})

    def offered(self, *people: str) -> Operation:
        entries = [{"customer_id": name, "entry_id": f"id-{name}"} for name in people]
        return self.did("admit", "", answer={"entries": entries}, asked={"count": len(people)})


def named(person: str) -> dict[str, Any]:
    return {"entry_id": f"id-{person}", "entry_token": f"token-{person}"}


def a_good_scenario() -> Scenario:
    """Return a history without any mistakes.

    Ada, Bob and Dan are waiting at the end. Gil's signup got no response, so Gil may or may not be
    on the waitlist.
    """
    scenario = Scenario()
    for name in ("fay", "ada", "bob", "eve"):
        scenario.signed_up(name)
    scenario.signed_up("gil", "unknown")
    scenario.signed_up("cyd")
    scenario.signed_up("dan")
    scenario.did("repeat", "ada", answer=named("ada"))
    scenario.did("leave", "eve")
    scenario.claimed("fay")
    scenario.did("complete", "fay")
    scenario.did("bump", "dan", asked={"priority": 1})
    scenario.did("bump", "eve", "refused", asked={"priority": 1}, code="not_waiting")
    scenario.claimed("cyd")
    scenario.answered("look", 429, "throttled", "1")
    return scenario


def a_good_final_state() -> FinalState:
    names = (("dan", 1), ("ada", 0), ("bob", 0), ("gil", 0))
    line = tuple(
        Seen(name, "waiting", position, len(names), priority)
        for position, (name, priority) in enumerate(names, start=1)
    )
    return FinalState(
        line=line,
        aside=(Seen("cyd", "offered", None, None, 0),),
        stats={
            "waiting": 4,
            "offered": 1,
            "parked": 0,
            "signed_up": 7,
            "left": 1,
            "admitted": 1,
        },
        admissions={"fay": 1},
        own_positions={"dan": 1, "gil": 4},
    )


def reordered(final_state: FinalState, *names: str) -> FinalState:
    by_name = {seen.person: seen for seen in final_state.line}
    line = tuple(replace(by_name[name], position=at) for at, name in enumerate(names, start=1))
    places = {seen.person: seen.position for seen in line}
    return replace(
        final_state,
        line=line,
        own_positions={name: places[name] for name in final_state.own_positions},
    )


def problems(scenario: Scenario, final_state: FinalState) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for problem in judge(scenario.history, final_state, LEASE_SECONDS):
        found.setdefault(problem.kind, []).append(problem.text)
    return found
