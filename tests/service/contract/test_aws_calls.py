"""What each operation costs: exactly these calls to AWS, in this order (P9)."""

from typing import Any

import pytest

from tests.support.admissions import Admissions
from tests.support.faults import Wire
from tests.support.people import People
from tests.support.stores import fake_redis
from tests.support.tables import new_table
from tests.support.world import World


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def people(wire: Wire) -> People:
    """A list with Ada and Bob in line, known to a function that has served it before."""
    people = People(World.on(wire.client(new_table()), fake_redis(), wire.client))
    assert people.configure().status == 201
    people.all_sign_up("ada", "bob")
    wire.disarm()
    return people


@pytest.fixture
def new_instance(wire: Wire, people: People) -> People:
    """The same list, served by a function that has only just started."""
    world = people.world
    table, redis = world.dynamodb, world.redis
    return People(World.on(table, redis, wire.client), entry_tokens=people.entry_tokens)


def test_a_signup_takes_two_writes_and_one_invocation(people: People, wire: Wire) -> None:
    """P9"""
    assert people.sign_up("cyd", key="k").status == 201
    assert wire.names == ["PutItem", "Invoke", "TransactWriteItems"]


def test_the_first_signup_of_an_instance_also_reads_the_list(
    new_instance: People, wire: Wire
) -> None:
    """P9"""
    assert new_instance.sign_up("cyd").status == 201
    assert wire.names == ["GetItem", "PutItem", "Invoke", "TransactWriteItems"]


def test_a_repeated_signup_takes_one_refused_write_and_one_invocation(
    people: People, wire: Wire
) -> None:
    """P2 P9"""
    assert people.sign_up("ada", key="signup-ada").status == 200
    assert wire.names == ["PutItem", "Invoke"]


def test_a_strangers_signup_takes_one_refused_write(people: People, wire: Wire) -> None:
    """P5 P9"""
    assert people.sign_up("ada").code == "already_on_list"
    assert wire.names == ["PutItem"]


def test_joining_again_takes_one_call_more(people: People, wire: Wire) -> None:
    """P9"""
    people.leave("ada")
    wire.disarm()
    assert people.sign_up("ada", key="again").status == 201
    assert wire.names == ["PutItem", "PutItem", "Invoke", "TransactWriteItems"]


def test_a_position_takes_one_invocation_and_no_dynamodb(people: People, wire: Wire) -> None:
    """P9"""
    assert people.look("bob").json["position"] == 2
    assert wire.names == ["Invoke"]


def test_a_position_takes_no_dynamodb_on_a_new_instance_either(
    new_instance: People, wire: Wire
) -> None:
    """P9"""
    assert new_instance.look("bob").json["position"] == 2
    assert wire.names == ["Invoke"]


def test_leaving_takes_two_writes_and_one_invocation(people: People, wire: Wire) -> None:
    """P9"""
    assert people.leave("ada").status == 204
    assert wire.names == ["UpdateItem", "Invoke", "TransactWriteItems"]


def test_leaving_once_more_takes_one_refused_write(people: People, wire: Wire) -> None:
    """P2 P9"""
    people.leave("ada")
    wire.disarm()
    assert people.leave("ada").status == 204
    assert wire.names == ["UpdateItem"]


@pytest.mark.parametrize("where", [{"to": "front"}, {"places": 1}, {"priority": 9}])
def test_a_bump_takes_one_invocation_and_one_write(
    people: People, wire: Wire, where: dict[str, Any]
) -> None:
    """P9: history and journal are in the same write."""
    assert people.bump("bob", key="b", **where).json["position"] == 1
    assert wire.names == ["Invoke", "TransactWriteItems"]
    (writes,) = [one.arguments["TransactItems"] for one in wire.calls if not one.is_invoke]
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


def test_stats_take_one_invocation(people: People, wire: Wire) -> None:
    """P9"""
    assert people.stats().json["waiting"] == 2
    assert wire.names == ["Invoke"]


def test_one_person_takes_one_read_and_one_invocation(people: People, wire: Wire) -> None:
    """P9"""
    assert people.person("bob").json["position"] == 2
    assert wire.names == ["Query", "Invoke"]


def test_what_anyone_may_know_takes_one_read_and_one_invocation(people: People, wire: Wire) -> None:
    """P9"""
    assert people.world.request("GET", people.path).json["total"] == 2
    assert wire.names == ["GetItem", "Invoke"]


def test_a_bad_request_takes_no_call_at_all(people: People, wire: Wire) -> None:
    """P5 P9"""
    assert people.sign_up("no id").status == 422
    assert people.bump("ada", places=1).status == 422
    assert people.world.request("GET", people.entry("ada"), token="forged").status == 401
    assert wire.names == []


@pytest.fixture
def agents(wire: Wire) -> Admissions:
    """A list with segments, and Ada and Bob in one of them, known to a function that served it."""
    desk = Admissions(World.on(wire.client(new_table()), fake_redis(), wire.client))
    desk.configure(segments=[["language"]])
    for name in ("ada", "bob"):
        desk.sign_up(name, attributes={"language": "Spanish"})
    wire.disarm()
    return desk


def test_segments_make_a_signup_no_dearer(agents: Admissions, wire: Wire) -> None:
    """P9"""
    assert agents.sign_up("cyd", attributes={"language": "Spanish"}).status == 201
    assert wire.names == ["PutItem", "Invoke", "TransactWriteItems"]


@pytest.mark.parametrize("filter_", [None, {"language": "Spanish"}], ids=str)
def test_a_filter_makes_a_claim_no_dearer(
    agents: Admissions, wire: Wire, filter_: dict[str, str] | None
) -> None:
    """P9: one call for the claim, one for each offer, one for all profiles."""
    assert len(agents.claimed(2, filter=filter_)) == 2
    assert wire.names == ["Invoke", "TransactWriteItems", "TransactWriteItems", "BatchGetItem"]


def test_a_wrong_filter_takes_one_read_of_the_list(agents: Admissions, wire: Wire) -> None:
    """P5 P9: no request is refused by a cached waitlist."""
    assert agents.claim(filter={"gender": "F"}).status == 422
    assert wire.names == ["GetItem"]


def test_a_place_within_a_segment_takes_one_read_more(agents: Admissions, wire: Wire) -> None:
    """P9: the record has the declared segments."""
    assert len(agents.look("bob", "segment=language").json["segments"]) == 1
    assert wire.names == ["GetItem", "Invoke"]


def test_a_page_of_segments_takes_one_invocation_and_one_read_however_many_wait(
    agents: Admissions, wire: Wire
) -> None:
    """P9"""
    for number in range(100):
        agents.sign_up(f"customer-{number}", attributes={"language": f"Language {number}"})
    wire.disarm()
    assert len(agents.segments("limit=100").json["segments"]) == 100
    assert wire.names == ["Invoke", "BatchGetItem"]
