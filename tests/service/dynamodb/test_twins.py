"""The table in memory, which judges in all other suites, answers as AWS's DynamoDB Local does."""

from typing import Any

import pytest

from tests.reliability.faults.test_memory_table import Twins, live
from tests.support.people import People
from tests.support.redis_servers import Server
from tests.support.refusals import CASES, Case, code_of
from tests.support.world import World
from tools.local.dynamodb.memory_table import MemoryTable


def test_every_call_of_the_service_is_answered_alike(valkey: Server, real_table: Any) -> None:
    twins = Twins(real_table, MemoryTable())
    live(People(World.on(twins, valkey.client)))
    refused = {name for name, what in twins.heard if what != "done"}
    assert refused == {"put_item", "update_item", "delete_item", "transact_write_items"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_dynamodb_refuses_what_the_table_in_memory_is_to_refuse(
    case: Case, real_table: Any
) -> None:
    assert code_of(case, real_table) == case.code
