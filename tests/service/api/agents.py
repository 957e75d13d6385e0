"""A waitlist on which call centre agents wait for work. The tests of segments use it, because each
agent has languages and a gender.
"""

from typing import Any

from tests.support.admissions import Admissions
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import World

BY_BOTH = ["gender", "language"]
SEGMENTS = [BY_BOTH, ["language"]]
# The agents, in the order of their signups.
AGENTS: dict[str, dict[str, Any]] = {
    "andrew": {"language": ["English", "Spanish"], "gender": "M"},
    "billy": {"language": "English", "gender": "M"},
    "christine": {"language": ["English", "Spanish", "French"], "gender": "F"},
    "courtney": {"language": ["Spanish"], "gender": "F"},
    "remy": {"language": ["French"], "gender": "T"},
    "walter": {},
}


def new_people(**settings: Any) -> Admissions:
    people = Admissions(World.on(new_table(), empty_redis()))
    assert people.configure(**{"segments": SEGMENTS, **settings}).status == 201
    return people


def staffed(**settings: Any) -> Admissions:
    people = new_people(**settings)
    for name in AGENTS:
        arrive(people, name)
    return people


def arrive(people: Admissions, name: str, **attributes: Any) -> None:
    """Sign a customer up.

    By default, the customer has the attributes of the agent with the same name.
    """
    attributes = attributes or AGENTS.get(name, {})
    answer = people.sign_up(name, key=f"signup-{name}", attributes=attributes)
    assert answer.status == 201, answer.text


def elsewhere(people: Admissions) -> Admissions:
    """Return the same waitlist in a second Lambda instance, which has its own cache."""
    return Admissions(
        World.on(people.world.dynamodb, people.world.redis), people.waitlist_id, people.names
    )


def segment_counts(people: Admissions, query: str = "") -> dict[str, int]:
    """Return how many people are waiting in each segment. The keys are the segments' values, such
    as `Spanish`.
    """
    answer = people.segments(query)
    assert answer.status == 200, answer.text
    assert answer.json["cursor"] is None
    return {"+".join(one["segment"].values()): one["waiting"] for one in answer.json["segments"]}


def places(people: Admissions, name: str, segment: str) -> dict[str, tuple[int, int | None]]:
    """Return a customer's position and the number of people in each segment. The keys are the
    segments' values, such as `Spanish`.
    """
    answer = people.poll(name, f"segment={segment}")
    assert answer.status == 200, answer.text
    return {
        "+".join(one["segment"].values()): (one["position"], one["total"])
        for one in answer.json["segments"]
    }
