"""Tests that the in-memory table, which most tests use, gives the same responses as AWS's DynamoDB
Local.
"""

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.support.people import People
from tests.support.redis_servers import Server
from tests.support.refusals import CASES, Case, code_of
from tests.support.world import World
from tools.local.dynamodb.memory_table import MemoryTable

COMPARED = ("Item", "Items", "Attributes", "Responses")
Outcome = dict[str, Any] | ClientError


class Twins:
    """Makes each call on two tables and compares the responses."""

    def __init__(self, real: Any, memory: Any) -> None:
        self._real = real
        self._memory = memory
        self.heard: set[tuple[str, str]] = set()

    def __getattr__(self, name: str) -> Any:
        def call(**arguments: Any) -> Any:
            expected = outcome(getattr(self._real, name), arguments)
            found = outcome(getattr(self._memory, name), arguments)
            assert essence(found) == essence(expected), (name, arguments)
            if isinstance(found, ClientError):
                self.heard.add((name, found.response["Error"]["Code"]))
                raise found
            self.heard.add((name, "done"))
            return found

        return call


def outcome(method: Any, arguments: dict[str, Any]) -> Outcome:
    try:
        answer: dict[str, Any] = method(**arguments)
    except ClientError as error:
        return error
    return answer


def essence(found: Outcome) -> Any:
    if isinstance(found, ClientError):
        response: Any = found.response
        reasons = response.get("CancellationReasons", [])
        items = [(one["Code"], one.get("Item")) for one in reasons]
        return response["Error"]["Code"], response.get("Item"), items
    return {name: in_order(found[name]) for name in COMPARED if name in found}


def in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: in_order(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return sorted(map(in_order, value), key=lambda one: json.dumps(one, sort_keys=True))
    return value


def live(people: People) -> None:
    world = people.world
    people.configure()
    people.configure(capacity=4)
    people.all_sign_up("ann", "bob", "cyd", "dan")
    people.sign_up("ann", key="signup-ann")
    people.sign_up("eve", key="eve")
    people.bump("dan", key="dan", places=2)
    people.bump("bob", to="front")
    people.leave("ann")
    people.leave("ann")
    people.leave("fay")
    people.sign_up("ann", key="again")
    people.leave("bob")
    people.sign_up("gus", key="gus")
    people.sign_up("bob", key="bob-again")
    people.configure(capacity=4, segments=[["language"]])
    people.configure(capacity=4, segments=[["language"]])
    people.erase("cyd")
    people.erase("fay")
    people.lose_place("dan")
    people.poll("dan")
    people.person("dan")
    people.page("limit=1")
    world.redis.flushall()
    people.poll("dan")
    world.maintain()
    world.maintain()
    assert people.order() == ["dan", "ann", "gus"]
    people.configure(retention_days=3)
    people.leave("gus")
    for limit in (1, 5):
        query = f"include=history&limit={limit}"
        world.request("GET", people.admin_entry("gus"), operator=True, query=query)
    world.services.leaves.erasures.forget("bakery", people.id_of("ann"), "no-stay", 0)
    people.delete_waitlist()
    people.delete_waitlist()
    people.configure()
    world.maintain()
    people.configure()
    world.request("GET", "/v1/admin/waitlists", operator=True, query="limit=1")


def test_every_call_of_the_service_is_answered_alike(valkey: Server, real_table: Any) -> None:
    twins = Twins(real_table, MemoryTable())
    live(People(World.on(twins, valkey.client)))
    refused = {name for name, what in twins.heard if what != "done"}
    assert refused == {"put_item", "update_item", "delete_item", "transact_write_items"}
    done = {name for name, what in twins.heard if what == "done"}
    assert done == refused | {"get_item", "batch_get_item", "batch_write_item", "query"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_dynamodb_refuses_what_the_table_in_memory_is_to_refuse(
    case: Case, real_table: Any
) -> None:
    assert code_of(case, real_table) == case.code
