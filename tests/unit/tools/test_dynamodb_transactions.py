from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from moto.dynamodb.models import dynamodb_backends

from tests.unit.tools.tables import item, key, local_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = "waitlist-transactions"


@pytest.fixture(scope="module")
def client() -> Iterator["DynamoDBClient"]:
    with local_table(TABLE) as client:
        yield client


def put(name: str, **more: Any) -> Any:
    return {"Put": {"TableName": TABLE, "Item": key(name), **more}}


def update(name: str) -> Any:
    set_seen = {
        "UpdateExpression": "SET seen = :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    return {"Update": {"TableName": TABLE, "Key": key(name), **set_seen}}


def delete(name: str) -> Any:
    return {"Delete": {"TableName": TABLE, "Key": key(name)}}


def check_absent(name: str) -> Any:
    condition = {"ConditionExpression": "attribute_not_exists(pk)"}
    return {"ConditionCheck": {"TableName": TABLE, "Key": key(name), **condition}}


def stored_items() -> dict[Any, Any]:
    table = dynamodb_backends["123456789012"]["us-east-1"].tables[TABLE]
    return {name: by_sk for name, by_sk in table.items.items() if by_sk}


def test_a_transaction_that_holds_is_done_whole(client: "DynamoDBClient") -> None:
    for name in ("old", "gone"):
        client.put_item(TableName=TABLE, Item=key(name))
    client.transact_write_items(
        TransactItems=[put("new"), update("old"), delete("gone"), check_absent("nobody")]
    )
    assert item(client, TABLE, "new") == key("new")
    assert item(client, TABLE, "old") == {**key("old"), "seen": {"N": "1"}}
    assert item(client, TABLE, "gone") is None


def test_a_transaction_that_fails_leaves_no_trace(client: "DynamoDBClient") -> None:
    for name in ("kept", "updated", "taken"):
        client.put_item(TableName=TABLE, Item=key(name))
    operations = [put("made"), update("updated"), delete("kept"), check_absent("taken")]
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(TransactItems=operations)
    reasons = cancelled.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == [*["None"] * 3, "ConditionalCheckFailed"]
    assert item(client, TABLE, "made") is None
    assert item(client, TABLE, "updated") == key("updated")
    assert item(client, TABLE, "kept") == key("kept")


def test_a_transaction_that_is_no_transaction_leaves_no_trace(client: "DynamoDBClient") -> None:
    operations = [put("twice"), update("twice")]
    with pytest.raises(client.exceptions.ClientError, match="multiple operations on one item"):
        client.transact_write_items(TransactItems=operations)
    assert item(client, TABLE, "twice") is None


def test_what_a_failed_transaction_does_not_touch_is_not_copied(client: "DynamoDBClient") -> None:
    """P9"""
    for name in ("bystander", "present"):
        client.put_item(TableName=TABLE, Item=key(name))
    before = {id(one) for by_sk in stored_items().values() for one in by_sk.values()}
    with pytest.raises(client.exceptions.TransactionCanceledException):
        client.transact_write_items(TransactItems=[check_absent("present"), put("other")])
    after = {id(one) for by_sk in stored_items().values() for one in by_sk.values()}
    # The one that the transaction looked at was kept aside and put back.
    assert len(before - after) == 1
