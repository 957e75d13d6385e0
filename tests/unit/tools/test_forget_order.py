"""The forget_order command deletes the queues of all waitlists from Redis, and reports the
waitlists for which this failed.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from moto import mock_aws

from tests.deployment.template import TEMPLATE
from tests.support.dynamodb import TABLE
from tests.support.lambdas import PRIVATE, InProcessLambda
from tests.support.people import People
from tests.support.stores import empty_redis
from tests.support.world import World
from tests.unit.tools.test_rotate_token_secret import make_stack
from tools.local.dynamodb.memory_table import MemoryTable
from tools.operate import forget_order
from tools.operate.forget_order import main
from waitlist_queue import keys

STACK = "waitlist-prod"


class AliasedLambda(InProcessLambda):
    """A private function that can only be called through its Lambda alias."""

    def invoke(self, **call: Any) -> dict[str, Any]:
        assert call["FunctionName"] == f"{PRIVATE}:live"
        return super().invoke(**{**call, "FunctionName": PRIVATE})


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    world = World.on(MemoryTable(), empty_redis())
    for waitlist_id in ("bakery", "cafe"):
        people = People(world, waitlist_id)
        people.configure()
        people.all_sign_up("ann")
    aliased = AliasedLambda(world.lambda_._private)
    monkeypatch.setattr(forget_order, "dynamodb_client", lambda: world.dynamodb)
    monkeypatch.setattr(forget_order, "patient_lambda_client", lambda: aliased)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        outputs = {forget_order.TABLE: TABLE, forget_order.FUNCTION: PRIVATE}
        make_stack(STACK, {name: {"Value": value} for name, value in outputs.items()})
        yield world


def find_known_orders(world: World) -> set[str]:
    return {name for name in ("bakery", "cafe") if world.redis.exists(keys.queue(name))}


def test_the_orders_of_all_waitlists_are_deleted_and_rebuilt(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """P3"""
    assert find_known_orders(world) == {"bakery", "cafe"}
    assert main(["--stack", STACK]) == 0
    assert find_known_orders(world) == set()
    assert capsys.readouterr().out.startswith("✓ bakery\n✓ cafe\n")
    world.maintain()
    assert People(world, "cafe").poll("ann").json["position"] == 1


@pytest.mark.parametrize("waitlist_id", ["bakery", "made-since"])
def test_the_order_of_a_named_waitlist_is_deleted_even_if_the_record_lacks_it(
    world: World, waitlist_id: str
) -> None:
    assert main(["--stack", STACK, "--waitlist", waitlist_id]) == 0
    assert find_known_orders(world) == {"bakery", "cafe"} - {waitlist_id}


def test_a_missing_or_older_stack_is_an_error(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--stack", "nothing"]) == 1
    assert capsys.readouterr().err.startswith("No queue was deleted. ")
    make_stack("older", {})
    assert main(["--stack", "older"]) == 1
    said = capsys.readouterr().err
    assert "No queue was deleted. The stack older has no output TableName." in said
    assert find_known_orders(world) == {"bakery", "cafe"}


def test_the_template_declares_the_outputs_that_the_command_reads() -> None:
    assert {forget_order.TABLE, forget_order.FUNCTION} <= set(TEMPLATE["Outputs"])
    assert TEMPLATE["Globals"]["Function"]["AutoPublishAlias"] == forget_order.ALIAS
