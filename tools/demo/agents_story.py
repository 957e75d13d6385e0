"""The call centre of the demo: its agents in order of arrival, and its calls.

The names of agents and queues come from a published design: "Implement serverless FIFO queues with
filtering capabilities using Amazon DynamoDB transactions" (AWS Database Blog). The genders and
languages are chosen so that every call demonstrates something.
"""

from dataclasses import dataclass
from itertools import product

# A caller asks for a language, and usually for a gender too.
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
    """A step of the story: a caller asks for the first agent in a queue."""

    queue: str


@dataclass(frozen=True)
class EndOfCall:
    """A step of the story: the call of an agent ends, and the agent waits for the next call."""

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
    """Return the queue name of a segment, in the notation of the published design."""
    return "#".join(["Q", *(segment[name] for name in ("language", "gender") if name in segment)])


def segment_of(queue: str) -> Segment:
    """Return the segment that the name of a queue stands for."""
    return dict(zip(("language", "gender"), queue.split("#")[1:], strict=False))


def all_queues() -> list[str]:
    """Return the names of all queues that an agent can be in. They are sorted so that the queues of
    a language are adjacent.
    """
    queues = {
        queue_of({"language": language, **gender})
        for agent in AGENTS
        for language, gender in product(agent.languages, ({}, {"gender": agent.gender}))
    }
    return sorted(queues)
