"""The in-memory table refuses the same requests as DynamoDB and reads pages quickly."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.support.refusals import CASES, Case, code_of, key, put_action
from tools.local.dynamodb import memory_table
from tools.local.dynamodb.memory_table import MemoryTable


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_table_refuses_requests_that_dynamodb_refuses(case: Case) -> None:
    """The in-memory table refuses what DynamoDB refuses.

    `make test-dynamodb` sends the same requests to DynamoDB Local (tests/service/dynamodb).
    """
    assert code_of(case, MemoryTable()) == case.code


def test_a_transaction_that_is_refused_writes_nothing() -> None:
    table = MemoryTable()
    misfit = put_action({**key(2), "place_rank": {"S": "1"}})
    with pytest.raises(ClientError):
        table.transact_write_items(TransactItems=[put_action(key(1)), misfit])
    assert table.items == {}


@pytest.mark.parametrize("condition", ["", " AND #rank >= :low", " AND #rank < :low"])
@pytest.mark.parametrize("is_forward", [True, False])
def test_reading_a_page_takes_the_same_work_in_a_partition_of_any_size(
    condition: str, is_forward: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading a page is equally fast in small and large partitions, which keeps a local run with
    50,000 entries usable.
    """
    looked_at: list[str] = []
    holds = memory_table._holds

    def counted(request: Any, name: str, item: Any) -> bool:
        looked_at.append(name)
        return holds(request, name, item)

    monkeypatch.setattr(memory_table, "_holds", counted)
    table = MemoryTable()
    for number in range(2_000):
        place = {"place": {"S": "line"}, "place_rank": {"N": str(number)}}
        table.items[f"ENTRY#{number}", "RECORD"] = {**key(number), **place} | {
            "pk": {"S": f"ENTRY#{number}"}
        }
    values = {":place": {"S": "line"}} | ({":low": {"N": "1000"}} if condition else {})
    answer = table.query(
        IndexName="by_place",
        KeyConditionExpression=f"#place = :place{condition}",
        ExpressionAttributeNames={"#place": "place", "#rank": "place_rank"},
        ExpressionAttributeValues=values,
        ScanIndexForward=is_forward,
        Limit=3,
    )
    first, last = (1000 if ">" in condition else 0), (999 if "<" in condition else 1999)
    expected = range(first, first + 3) if is_forward else range(last, last - 3, -1)
    assert [int(item["place_rank"]["N"]) for item in answer["Items"]] == list(expected)
    assert len(looked_at) < 30
