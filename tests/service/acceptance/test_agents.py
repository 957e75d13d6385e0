"""A published design's call centre: agents by language and gender, each in many queues at once."""

import pytest

from tests.service.acceptance.terms import Waitlist
from tests.support.admissions import Admissions
from tools.demo.agents_story import AGENTS, SEGMENTS, Agent, queue_of, segment_of

# The agents come in the order of their names.
QUEUES = {
    "Q#English": ["Andrew", "Christine", "Courtney", "Remy"],
    "Q#English#F": ["Christine", "Courtney"],
    "Q#English#M": ["Andrew"],
    "Q#English#T": ["Remy"],
    "Q#French": ["Andrew", "Billy", "Christine", "Remy"],
    "Q#French#F": ["Christine"],
    "Q#French#M": ["Andrew", "Billy"],
    "Q#French#T": ["Remy"],
    "Q#Spanish": ["Billy", "Christine", "Courtney", "Ellen"],
    "Q#Spanish#F": ["Christine", "Courtney", "Ellen"],
    "Q#Spanish#M": ["Billy"],
}


@pytest.fixture
def centre(waitlist: Waitlist) -> Admissions:
    """All six agents wait for calls."""
    desk = waitlist(segments=SEGMENTS, rejoin="always")
    for agent in AGENTS:
        _join(desk, agent, "first")
    return desk


def _join(desk: Admissions, agent: Agent, occasion: str) -> None:
    key = f"{agent.name}-{occasion}"
    answer = desk.sign_up(agent.name, key=key, attributes=agent.attributes)
    assert answer.status == 201, answer.text


def _rejoin(desk: Admissions, name: str) -> None:
    (agent,) = (agent for agent in AGENTS if agent.name == name)
    _join(desk, agent, "again")


def _answered(desk: Admissions, *queues: str) -> list[str]:
    """Return the agents claimed for these queues, in order; "" for an empty claim."""
    return ["".join(desk.claimed(1, filter=segment_of(queue))) for queue in queues]


def _depths(desk: Admissions) -> dict[str, int]:
    answer = desk.segments("limit=100")
    assert answer.status == 200, answer.text
    return {queue_of(one["segment"]): one["waiting"] for one in answer.json["segments"]}


def test_the_queues_are_as_deep_as_the_agents_make_them(centre: Admissions) -> None:
    """Given six agents in several queues each, when asked, then each queue's depth is exact."""
    assert _depths(centre) == {queue: len(agents) for queue, agents in QUEUES.items()}


@pytest.mark.parametrize(("queue", "agents"), QUEUES.items(), ids=QUEUES)
def test_each_queue_gives_its_agents_in_the_order_of_their_coming(
    centre: Admissions, queue: str, agents: list[str]
) -> None:
    """Given a queue, when callers claim from it, then its agents come in order, then none. P1"""
    assert _answered(centre, *[queue] * len(agents), queue) == [*agents, ""]


@pytest.mark.parametrize(("queue", "agents"), QUEUES.items(), ids=QUEUES)
def test_each_queue_may_be_served_from_its_tail(
    centre: Admissions, queue: str, agents: list[str]
) -> None:
    """Given a queue, when the newest of it are claimed, then its order is reversed. P1"""
    newest_first = centre.claimed(6, filter=segment_of(queue), order="newest")
    assert newest_first == list(reversed(agents))


def test_callers_are_given_the_first_agent_who_matches(centre: Admissions) -> None:
    """Given callers one after the other, then each has the first agent left who matches. P1 P4"""
    calls = ("Q#Spanish#F", "Q#French#M", "Q#French#M", "Q#Spanish#M", "Q#English#T", "Q#French")
    assert _answered(centre, *calls) == ["Christine", "Andrew", "Billy", "", "Remy", ""]
    assert centre.order() == ["Courtney", "Ellen"]


def test_an_agent_on_the_phone_is_gone_from_all_queues_at_once(centre: Admissions) -> None:
    """Given Christine in six queues, when one of them gives her, then she is in none. P4 P6"""
    assert _answered(centre, "Q#Spanish#F") == ["Christine"]
    without = {queue: [one for one in QUEUES[queue] if one != "Christine"] for queue in QUEUES}
    assert _depths(centre) == {queue: len(agents) for queue, agents in without.items() if agents}
    assert _answered(centre, "Q#English#F", "Q#French#F", "Q#Spanish") == ["Courtney", "", "Billy"]


def test_an_agent_whose_call_has_ended_rejoins_behind_everybody(centre: Admissions) -> None:
    """Given a call that has ended, when its agent rejoins, then behind those who wait. P1"""
    assert _answered(centre, "Q#Spanish#F") == ["Christine"]
    assert centre.status("Christine") == "offered"
    assert centre.complete("Christine").json["status"] == "admitted"
    _rejoin(centre, "Christine")
    assert centre.status("Christine") == "waiting"
    assert _depths(centre) == {queue: len(agents) for queue, agents in QUEUES.items()}
    assert centre.order() == ["Andrew", "Billy", "Courtney", "Ellen", "Remy", "Christine"]
    calls = ("Q#Spanish#F", "Q#Spanish#F", "Q#Spanish#F", "Q#English")
    assert _answered(centre, *calls) == ["Courtney", "Ellen", "Christine", "Andrew"]


def test_an_agent_who_did_not_pick_up_is_first_in_all_queues_again(centre: Admissions) -> None:
    """Given an agent whose claim is released, then all their queues have them as before. P1"""
    assert _answered(centre, "Q#Spanish#F") == ["Christine"]
    centre.release("Christine")
    assert _depths(centre) == {queue: len(agents) for queue, agents in QUEUES.items()}
    assert _answered(centre, "Q#English#F", "Q#Spanish#F") == ["Christine", "Courtney"]
