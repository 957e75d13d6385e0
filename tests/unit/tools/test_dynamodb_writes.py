"""Writes that are made cheap do what moto's do."""

import gc
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType

from tests.unit.tools.tables import item, key, local_table
from tools.local.dynamodb import writes

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = "waitlist-writes"
NAMES = {"#seen": "seen", "#place": "place"}


@pytest.fixture(scope="module")
def client() -> Iterator["DynamoDBClient"]:
    with local_table(TABLE) as client:
        yield client


def put_new(name: str) -> Any:
    condition = {"ConditionExpression": "attribute_not_exists(pk)"}
    return {"Put": {"TableName": TABLE, "Item": {**key(name), "seen": {"N": "1"}}, **condition}}


def move(name: str, was: str) -> Any:
    """Return an update of plain assignments, as nearly all of the service's are."""
    return {
        "Update": {
            "TableName": TABLE,
            "Key": key(name),
            "UpdateExpression": "SET #place = :place, #rank = :rank REMOVE #seen",
            "ConditionExpression": "#seen = :was",
            "ExpressionAttributeNames": {**NAMES, "#rank": "rank"},
            "ExpressionAttributeValues": {
                ":place": {"S": "here"},
                ":rank": {"N": "5"},
                ":was": {"N": was},
            },
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    }


@pytest.mark.parametrize("turn", ["judged by moto", "judged before"])
def test_what_holds_is_written(client: "DynamoDBClient", turn: str) -> None:
    client.transact_write_items(TransactItems=[put_new(turn), put_new(f"{turn} too")])
    client.transact_write_items(TransactItems=[move(turn, "1"), put_new(f"{turn} three")])
    assert item(client, TABLE, turn) == {**key(turn), "place": {"S": "here"}, "rank": {"N": "5"}}
    assert item(client, TABLE, f"{turn} three") == {**key(f"{turn} three"), "seen": {"N": "1"}}


@pytest.mark.parametrize("turn", ["first", "second"])
def test_what_does_not_hold_is_refused_with_the_item_and_leaves_no_trace(
    client: "DynamoDBClient", turn: str
) -> None:
    client.transact_write_items(TransactItems=[put_new(f"kept {turn}")])
    operations = [put_new(f"new {turn}"), move(f"kept {turn}", "2")]
    with pytest.raises(client.exceptions.TransactionCanceledException) as cancelled:
        client.transact_write_items(TransactItems=operations)
    passed, failed = cancelled.value.response["CancellationReasons"]
    assert (passed["Code"], failed["Code"]) == ("None", "ConditionalCheckFailed")
    assert (
        failed["Item"]
        == item(client, TABLE, f"kept {turn}")
        == put_new(f"kept {turn}")["Put"]["Item"]
    )
    assert item(client, TABLE, f"new {turn}") is None


def test_a_repeat_by_its_token_is_answered_as_the_first(client: "DynamoDBClient") -> None:
    for _ in range(2):
        client.transact_write_items(TransactItems=[put_new("repeat")], ClientRequestToken="once")
    with pytest.raises(client.exceptions.TransactionCanceledException):
        client.transact_write_items(TransactItems=[put_new("repeat")], ClientRequestToken="twice")


def test_the_same_item_twice_is_refused_also_in_a_form_that_was_judged(
    client: "DynamoDBClient",
) -> None:
    client.transact_write_items(TransactItems=[put_new("one"), put_new("two")])
    with pytest.raises(client.exceptions.ClientError, match="multiple operations on one item"):
        client.transact_write_items(TransactItems=[put_new("three"), put_new("three")])
    assert item(client, TABLE, "three") is None


def test_an_expression_that_names_nothing_it_uses_is_refused(client: "DynamoDBClient") -> None:
    client.transact_write_items(TransactItems=[put_new("named")])
    wrong = move("named", "1")
    del wrong["Update"]["ExpressionAttributeNames"]["#rank"]
    with pytest.raises(client.exceptions.ClientError):
        client.transact_write_items(TransactItems=[wrong])


def test_an_item_over_the_limit_is_refused(client: "DynamoDBClient") -> None:
    """P9"""
    large = {**key("large"), "profile": {"S": "x" * 410_000}}
    with pytest.raises(client.exceptions.ClientError, match="size has exceeded"):
        client.put_item(TableName=TABLE, Item=large)
    assert item(client, TABLE, "large") is None


@pytest.mark.parametrize("value", [{"B": b"\x00\xff"}, {"BS": [b"a", b"b"]}, {"NULL": True}])
def test_what_is_no_text_comes_back_as_it_was(client: "DynamoDBClient", value: Any) -> None:
    client.put_item(TableName=TABLE, Item={**key("bytes"), "value": value})
    assert (item(client, TABLE, "bytes") or {})["value"] == value


def test_a_page_tells_what_follows_and_the_last_one_nothing(client: "DynamoDBClient") -> None:
    for number in range(3):
        client.put_item(TableName=TABLE, Item={"pk": {"S": "page"}, "sk": {"S": str(number)}})
    condition: Any = {
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": "page"}},
    }
    first = client.query(TableName=TABLE, Limit=2, **condition)
    assert (first["Count"], first["LastEvaluatedKey"]["sk"]) == (2, {"S": "1"})
    last = client.query(TableName=TABLE, ExclusiveStartKey=first["LastEvaluatedKey"], **condition)
    assert [one["sk"] for one in last["Items"]] == [{"S": "2"}]
    assert "LastEvaluatedKey" not in last


def test_an_update_tells_the_stream_what_was_and_what_is(client: "DynamoDBClient") -> None:
    client.transact_write_items(TransactItems=[put_new("told")])
    client.transact_write_items(TransactItems=[move("told", "1")])
    *_, before, after = stream().items
    assert (before.record["eventName"], after.record["eventName"]) == ("INSERT", "MODIFY")
    images = after.record["dynamodb"]
    assert images["OldImage"] == put_new("told")["Put"]["Item"]
    assert images["NewImage"] == {**key("told"), "place": {"S": "here"}, "rank": {"N": "5"}}


def test_the_stream_does_not_grow_for_ever(
    client: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch
) -> None:
    """P9: and its numbers go on."""
    monkeypatch.setattr(writes, "KEPT_RECORDS", 5)
    numbers = []
    for number in range(30):
        client.put_item(TableName=TABLE, Item=key(f"person {number}"))
        assert len(stream().items) <= 2 * 5 or number == 0
        numbers.append(int(stream().items[-1].record["dynamodb"]["SequenceNumber"]))
    assert numbers[1:] == list(range(numbers[1], numbers[1] + 29))


def test_what_was_replaced_is_not_kept(client: "DynamoDBClient") -> None:
    """P9: moto itself keeps each version of each item, and each record that the stream forgot."""
    client.put_item(TableName=TABLE, Item=key("replaced"))
    shard = stream()
    table = dynamodb_backends["123456789012"]["us-east-1"].tables[TABLE]
    pk, sk = (DynamoType(value) for value in key("replaced").values())
    first = [weakref.ref(table.get_item(pk, sk))]
    first.append(weakref.ref(shard.items[-1]))
    client.put_item(TableName=TABLE, Item={**key("replaced"), "seen": {"N": "2"}})
    del shard.items[:]
    gc.collect()
    assert [one() is None for one in first] == [True, True]


def stream() -> Any:
    return dynamodb_backends["123456789012"]["us-east-1"].tables[TABLE].stream_shard
