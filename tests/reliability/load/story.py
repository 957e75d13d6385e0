"""A small run that went well, for tests to spoil."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.reliability.load.ending import Ending, Seen
from tests.reliability.load.history import Attempt, Deed, History, Outcome
from tests.reliability.load.oracle import judge

LEASE_SECONDS = 20.0


@dataclass
class Story:
    """What clients did, one after the other, a second each, and how it ended."""

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
    ) -> Deed:
        deed = Deed(
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
        self.history.deeds.append(deed)
        self.answered(kind, status or usual, code or outcome * (outcome == "unknown"), retry_after)
        self.now += 1
        return deed

    def answered(self, kind: str, status: int, code: str = "", retry_after: str = "") -> None:
        attempt = Attempt(kind, self.now, self.now + 0.5, status, code, retry_after)
        self.history.attempts.append(attempt)

    def signed_up(self, person: str, outcome: Outcome = "done") -> Deed:
        return self.did("signup", person, outcome, named(person))

    def claimed(self, *people: str, token: str = "") -> Deed:
        claims = [
            {"customer_id": name, "entry_id": f"id-{name}", "claim_token": token or f"t-{name}"}
            for name in people
        ]
        return self.did("claim", "", answer={"claims": claims})


def named(person: str) -> dict[str, Any]:
    return {"entry_id": f"id-{person}", "entry_token": f"token-{person}"}


def a_good_story() -> Story:
    """Ada, Bob, Cyd and Dan came; Eve left, Fay was admitted, Gil did not hear of his place.

    Cyd is held; Dan was bumped by priority; of a bump of Bob nobody heard, so he may be anywhere
    in his priority.
    """
    story = Story()
    for name in ("fay", "ada", "bob", "eve"):
        story.signed_up(name)
    story.signed_up("gil", "unknown")
    story.signed_up("cyd")
    story.signed_up("dan")
    story.did("repeat", "ada", answer=named("ada"))
    story.did("leave", "eve")
    story.claimed("fay")
    story.did("complete", "fay")
    story.did("bump", "dan", asked={"priority": 1})
    story.did("bump", "eve", "refused", asked={"priority": 1}, code="not_waiting")
    story.claimed("cyd")
    story.answered("look", 429, "throttled", "1")
    return story


def a_good_ending() -> Ending:
    names = (("dan", 1), ("ada", 0), ("bob", 0), ("gil", 0))
    line = tuple(
        Seen(name, "waiting", position, len(names), priority)
        for position, (name, priority) in enumerate(names, start=1)
    )
    return Ending(
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
        told={"dan": 1, "gil": 4},
    )


def reordered(ending: Ending, *names: str) -> Ending:
    """The same people in this order, with the positions of their places."""
    by_name = {seen.person: seen for seen in ending.line}
    line = tuple(replace(by_name[name], position=at) for at, name in enumerate(names, start=1))
    places = {seen.person: seen.position for seen in line}
    return replace(ending, line=line, told={name: places[name] for name in ending.told})


def problems(story: Story, ending: Ending) -> dict[str, list[str]]:
    """What the oracle says, by kind."""
    found: dict[str, list[str]] = {}
    for problem in judge(story.history, ending, LEASE_SECONDS):
        found.setdefault(problem.kind, []).append(problem.text)
    return found
