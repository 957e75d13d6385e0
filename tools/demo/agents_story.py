"""The demo's call centre: the agents in the order of their arrival, and the calls.

The names of the agents and queues come from the AWS Database Blog ("Implement serverless FIFO
queues with filtering capabilities using Amazon DynamoDB transactions"). Genders and languages are
chosen so that each call shows something new.
"""

from dataclasses import dataclass
from itertools import product

# A caller asks for a language, and often for a man or a woman as well.
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
    """A caller wants the first agent in a queue."""

    queue: str


@dataclass(frozen=True)
class EndOfCall:
    """An agent's call ends, and the agent waits for the next one."""

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
    """Write a queue's name as the article in the AWS Database Blog does."""
    return "#".join(["Q", *(segment[name] for name in ("language", "gender") if name in segment)])


def segment_of(queue: str) -> Segment:
    return dict(zip(("language", "gender"), queue.split("#")[1:], strict=False))


def all_queues() -> list[str]:
    """Queues for the same language are next to each other."""
    queues = {
        queue_of({"language": language, **gender})
        for agent in AGENTS
        for language, gender in product(agent.languages, ({}, {"gender": agent.gender}))
    }
    return sorted(queues)
