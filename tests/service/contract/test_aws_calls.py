"""Tests which AWS calls each operation makes, and in which order (promise P9)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.admissions import Admissions
from tests.support.faults import Wire
from tests.support.gateway import Answer
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.tables import new_table
from tests.support.world import World


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def people(wire: Wire) -> People:
    """A waitlist on which Ada and Bob are waiting. The function has already cached the settings."""
    people = People(World.on(wire.client(new_table()), empty_redis(), wire.client))
    assert people.configure().status == 201
    people.all_sign_up("ada", "bob")
    wire.disarm()
    return people


@pytest.fixture
def new_instance(wire: Wire, people: People) -> People:
    world = people.world
    table, redis = world.dynamodb, world.redis
    return People(World.on(table, redis, wire.client), entry_tokens=people.entry_tokens)


SIGNUP = ["PutItem", "Invoke", "TransactWriteItems"]
LEAVE = ["GetItem", "UpdateItem", "Invoke"]
SPANISH = {"language": "Spanish"}
# Requests, each with its HTTP status and the AWS calls that it makes.
CALLS: dict[str, tuple[Callable[[People], Answer], int, list[str]]] = {
    "signup": (lambda people: people.sign_up("cyd", key="k"), 201, SIGNUP),
    "repeated signup": (
        lambda people: people.sign_up("ada", key="signup-ada"),
        200,
        ["PutItem", "Invoke"],
    ),
    "signup by a stranger": (lambda people: people.sign_up("ada"), 409, ["PutItem"]),
    "position": (lambda people: people.poll("bob"), 200, ["Invoke"]),
    "leave": (lambda people: people.leave("ada"), 204, [*LEAVE, "TransactWriteItems"]),
    "stats": (lambda people: people.stats(), 200, ["Invoke"]),
    "entry": (lambda people: people.person("bob"), 200, ["Query", "Invoke"]),
    "waitlist": (
        lambda people: people.world.request("GET", people.path),
        200,
        ["GetItem", "Invoke"],
    ),
    "bad signup": (lambda people: people.sign_up("no id"), 422, []),
    "bad bump": (lambda people: people.bump("ada", places=1), 422, []),
    "forged token": (
        lambda people: people.world.request("GET", people.entry("ada"), token="forged"),
        401,
        [],
    ),
}
ON_NEW_INSTANCE: dict[str, tuple[Callable[[People], Answer], int, list[str]]] = {
    "signup": (lambda people: people.sign_up("cyd"), 201, ["GetItem", *SIGNUP]),
    "position": (lambda people: people.poll("bob"), 200, ["Invoke"]),
}
WITH_SEGMENTS: dict[str, tuple[Callable[[Admissions], Answer], int, list[str]]] = {
    "signup": (lambda people: people.sign_up("cyd", attributes=SPANISH), 201, SIGNUP),
    # The cached settings may be out of date, so the service reads them again before it refuses the
    # request.
    "claim by a wrong filter": (lambda people: people.claim(filter={"age": "5"}), 422, ["GetItem"]),
    # The service reads the entry's record to find out which segments the entry is in.
    "position within": (
        lambda people: people.poll("bob", "segment=language"),
        200,
        ["GetItem", "Invoke"],
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_request_takes_exactly_these_calls(people: People, wire: Wire, name: str) -> None:
    """P2, P5, P9"""
    send, status, calls = CALLS[name]
    assert (send(people).status, wire.names) == (status, calls)


@pytest.mark.parametrize("name", ON_NEW_INSTANCE)
def test_on_a_new_instance_a_request_takes_these_calls(
    new_instance: People, wire: Wire, name: str
) -> None:
    """A new function instance has not cached the settings. A signup has to read them first, but a
    poll does not need them (promise P9).
    """
    send, status, calls = ON_NEW_INSTANCE[name]
    assert (send(new_instance).status, wire.names) == (status, calls)


def test_after_a_leave_a_repeated_leave_only_reads_and_a_signup_takes_one_more_write(
    people: People, wire: Wire
) -> None:
    """P2, P9"""
    people.leave("ada")
    wire.disarm()
    assert people.leave("ada").status == 204
    assert wire.names == ["GetItem"]
    wire.disarm()
    assert people.sign_up("ada", key="again").status == 201
    assert wire.names == ["PutItem", *SIGNUP]


@pytest.mark.parametrize("where", [{"to": "front"}, {"places": 1}, {"priority": 9}])
def test_a_bump_takes_one_read_one_invocation_and_one_write(
    people: People, wire: Wire, where: dict[str, Any]
) -> None:
    """A bump first reads the record to find the current signup, and later writes the record, the
    history and the journal in one transaction (promises P2 and P9).
    """
    assert people.bump("bob", key="b", **where).json["position"] == 1
    assert wire.names == ["GetItem", "Invoke", "TransactWriteItems"]
    writes = wire.calls[-1].arguments["TransactItems"]
    assert [next(iter(write)) for write in writes] == ["Update", "Put", "Put"]


@pytest.mark.parametrize("count", [2, 100])
def test_a_page_takes_one_invocation_and_one_read_however_long(
    people: People, wire: Wire, count: int
) -> None:
    """P9"""
    for number in range(2, count):
        people.sign_up(f"customer-{number}")
    wire.disarm()
    assert len(people.page("limit=100").json["entries"]) == count
    assert wire.names == ["Invoke", "BatchGetItem"]


@pytest.fixture
def agents(wire: Wire) -> Admissions:
    """A waitlist on which Ada and Bob are in the same segment. The function has already cached the
    settings.
    """
    people = Admissions(World.on(wire.client(new_table()), empty_redis(), wire.client))
    people.configure(segments=[["language"]])
    for name in ("ada", "bob"):
        people.sign_up(name, attributes={"language": "Spanish"})
    wire.disarm()
    return people


@pytest.mark.parametrize("name", WITH_SEGMENTS)
def test_with_segments_a_request_takes_these_calls(
    agents: Admissions, wire: Wire, name: str
) -> None:
    """P5, P9"""
    send, status, calls = WITH_SEGMENTS[name]
    assert (send(agents).status, wire.names) == (status, calls)


@pytest.mark.parametrize("filter_", [None, {"language": "Spanish"}], ids=str)
def test_a_filter_makes_a_claim_no_dearer(
    agents: Admissions, wire: Wire, filter_: dict[str, str] | None
) -> None:
    """A claim of two entries makes one call to Redis, reads both records in one call, and then
    writes each record in its own transaction (promise P9).
    """
    assert len(agents.claimed(2, filter=filter_)) == 2
    assert wire.names == ["Invoke", "BatchGetItem", "TransactWriteItems", "TransactWriteItems"]


def test_a_page_of_segments_takes_one_invocation_and_one_read_however_many_wait(
    agents: Admissions, wire: Wire
) -> None:
    """P9"""
    for number in range(100):
        agents.sign_up(f"customer-{number}", attributes={"language": f"Language {number}"})
    wire.disarm()
    assert len(agents.segments("limit=100").json["segments"]) == 100
    assert wire.names == ["Invoke", "BatchGetItem"]
