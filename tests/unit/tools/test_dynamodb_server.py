"""The in-memory DynamoDB answers over HTTP as boto3 expects."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.dynamodb import TABLE
from tests.support.refusals import CASES, Case, code_of
from tests.unit.tools.tables import client_of, item, key, local_table
from tools.local.child import Child
from tools.local.dynamodb.ensure_table import DynamoDbUnreachableError, ensure_table
from tools.local.dynamodb.server import Database
from tools.local.http_message import HttpRequest
from tools.local.webhooks import stream_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture(scope="module")
def client() -> Iterator["DynamoDBClient"]:
    with local_table(TABLE) as client:
        yield client


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_server_refuses_requests_that_dynamodb_refuses(case: Case, client: Any) -> None:
    assert code_of(case, client) == case.code


def test_the_table_is_the_table_that_the_template_declares(client: "DynamoDBClient") -> None:
    table = client.describe_table(TableName=TABLE)["Table"]
    assert [index["IndexName"] for index in table["GlobalSecondaryIndexes"]] == ["by_place"]


def test_an_existing_table_is_kept(client: "DynamoDBClient") -> None:
    client.put_item(TableName=TABLE, Item=key("kept"))
    ensure_table(client.meta.endpoint_url, TABLE)
    assert item(client, TABLE, "kept") == key("kept")


def test_a_transaction_with_the_same_token_runs_only_once(client: "DynamoDBClient") -> None:
    """If boto3 gets no response, it sends the transaction a second time with the same token.

    The transaction is carried out only once.
    """
    condition = {
        "ConditionExpression": "attribute_not_exists(#pk)",
        "ExpressionAttributeNames": {"#pk": "pk"},
    }
    put: Any = {"Put": {"TableName": TABLE, "Item": key("once"), **condition}}
    for _ in range(2):
        client.transact_write_items(TransactItems=[put], ClientRequestToken="the same")
    with pytest.raises(client.exceptions.TransactionCanceledException):
        client.transact_write_items(TransactItems=[put], ClientRequestToken="another")


def test_an_unknown_operation_is_refused(client: "DynamoDBClient") -> None:
    with pytest.raises(client.exceptions.ClientError, match="ListTables is not supported"):
        client.list_tables()


@pytest.mark.parametrize("header", [("Origin", "null"), ("Host", "evil.example.com")])
def test_no_web_page_can_read_the_table(header: tuple[str, str]) -> None:
    """No web page can read the table.

    Requests from other origins are refused, as are requests whose Host header names a different
    computer (promise P5).
    """
    target = ("X-Amz-Target", "DynamoDB_20120810.Scan")
    response = Database()(HttpRequest("POST", "/", (target, header), b"{}"))
    assert (response.status, b"AccessDeniedException" in response.body) == (400, True)


@pytest.mark.parametrize("text", ["().__class__", "#pk = :pk.real", "lambda: #pk", "'a' = 'a'"])
def test_an_expression_cannot_run_code(text: str, client: "DynamoDBClient") -> None:
    """P5"""
    with pytest.raises(client.exceptions.ClientError, match="Invalid expression"):
        client.delete_item(
            TableName=TABLE,
            Key=key("safe"),
            ConditionExpression=text,
            ExpressionAttributeNames={"#pk": "pk"},
            ExpressionAttributeValues={":pk": {"S": "safe"}},
        )


def test_the_server_runs_as_a_child_process_and_keeps_its_items_in_a_file(tmp_path: Path) -> None:
    file = str(tmp_path / "dynamodb.sqlite")
    for expected in (None, key("kept")):
        with Child("tools.local.dynamodb.server", file) as child:
            url = f"http://127.0.0.1:{child.port()}"
            ensure_table(url, TABLE)
            with client_of(url) as client:
                assert item(client, TABLE, "kept") == expected
                client.put_item(TableName=TABLE, Item=key("kept"))
                client.put_item(TableName=TABLE, Item=key("gone"))
                client.delete_item(TableName=TABLE, Key=key("gone"))
                assert item(client, TABLE, "gone") is None
        assert not child.running


def test_an_endpoint_that_does_not_answer_is_an_error() -> None:
    with pytest.raises(DynamoDbUnreachableError):
        ensure_table("http://127.0.0.1:1", TABLE)


@pytest.mark.parametrize("is_kept", [False, True])
def test_the_stream_returns_each_change_once(is_kept: bool, tmp_path: Path) -> None:
    arguments = ["--stream", *([str(tmp_path / "table.sqlite")] if is_kept else [])]
    with Child("tools.local.dynamodb.server", *arguments) as child:
        url = f"http://127.0.0.1:{child.port()}"
        ensure_table(url, TABLE)
        read = stream_of(url)
        assert read() == []
        with client_of(url) as client:
            client.put_item(TableName=TABLE, Item=key("a"))
            client.delete_item(TableName=TABLE, Key=key("a"))
        assert [one["eventName"] for one in read()] == ["INSERT", "REMOVE"]
        assert read() == []
