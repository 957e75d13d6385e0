"""The demo's call centre: its agents in the order of their arrival, and its calls.

The names of agents and queues come from a published design: "Implement serverless FIFO queues with
filtering capabilities using Amazon DynamoDB transactions" (AWS Database Blog). Genders and
languages are chosen so that every call shows something.
"""

from dataclasses import dataclass
from itertools import product

# A caller asks for a language, mostly of a gender.
SEGMENTS = [["language", "gender"], ["language"]]
Segment = dict[str, str]


@dataclass(frozen=True)
class Agent:
    name: str
    gender: str
    languages: tuple[str, ...]

    @property
    def attributes(self) -> dict[str, str | list[str]]:
        return {"language": list(self.languages), "gender": self.gender}


@dataclass(frozen=True)
class Call:
    """A caller asks for the first agent of a queue."""

    queue: str


@dataclass(frozen=True)
class EndOfCall:
    """An agent's call has ended; the agent waits for another."""

    agent: str


AGENTS = (
    Agent("Andrew", "M", ("English", "French")),
    Agent("Billy", "M", ("French", "Spanish")),
    Agent("Christine", "F", ("English", "French", "Spanish")),
    Agent("Courtney", "F", ("English", "Spanish")),
    Agent("Ellen", "F", ("Spanish",)),
    Agent("Remy", "T", ("English", "French")),
)
STORY: tuple[Call | EndOfCall, ...] = (
    Call("Q#Spanish#F"),
    Call("Q#French#M"),
    Call("Q#French#M"),
    Call("Q#Spanish#M"),
    Call("Q#English#T"),
    EndOfCall("Christine"),
    Call("Q#Spanish#F"),
    Call("Q#French"),
    EndOfCall("Andrew"),
    Call("Q#English"),
)


def queue_of(segment: Segment) -> str:
    """Return a segment's name as the published design writes it."""
    return "#".join(["Q", *(segment[name] for name in ("language", "gender") if name in segment)])


def segment_of(queue: str) -> Segment:
    """Return the segment of a queue's name."""
    return dict(zip(("language", "gender"), queue.split("#")[1:], strict=False))


def all_queues() -> list[str]:
    """Return every queue that an agent can be in, those of one language together."""
    queues = {
        queue_of({"language": language, **gender})
        for agent in AGENTS
        for language, gender in product(agent.languages, ({}, {"gender": agent.gender}))
    }
    return sorted(queues)
