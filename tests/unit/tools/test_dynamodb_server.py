from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.unit.tools.tables import local_table
from tools.local.child import Child
from tools.local.dynamodb.table import DynamoDbUnreachableError, ensure_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

WRITERS = 16
KEY = {"pk": {"S": "ENTRY#a#1"}, "sk": {"S": "RECORD"}}


@pytest.fixture(scope="module")
def client() -> Iterator["DynamoDBClient"]:
    with local_table("waitlist-test") as client:
        yield client


def test_the_table_is_the_one_of_the_template(client: "DynamoDBClient") -> None:
    table = client.describe_table(TableName="waitlist-test")["Table"]
    assert [index["IndexName"] for index in table["GlobalSecondaryIndexes"]] == ["by_place"]


def test_a_table_that_is_there_is_left_alone(client: "DynamoDBClient") -> None:
    client.put_item(TableName="waitlist-test", Item={**KEY, "sk": {"S": "KEPT"}})
    ensure_table(client.meta.endpoint_url, "waitlist-test")
    kept = client.get_item(TableName="waitlist-test", Key={**KEY, "sk": {"S": "KEPT"}})
    assert "Item" in kept


def test_of_many_conditional_writes_at_once_one_succeeds(client: "DynamoDBClient") -> None:
    def write(number: int) -> bool:
        try:
            client.put_item(
                TableName="waitlist-test",
                Item={**KEY, "writer": {"N": str(number)}},
                ConditionExpression="attribute_not_exists(pk)",
            )
        except client.exceptions.ConditionalCheckFailedException:
            return False
        return True

    with ThreadPoolExecutor(WRITERS) as pool:
        for _ in range(5):
            assert sum(pool.map(write, range(WRITERS))) == 1
            client.delete_item(TableName="waitlist-test", Key=KEY)


def test_it_runs_as_a_process_of_its_own_and_ends_with_its_parent() -> None:
    with Child("tools.local.dynamodb.server") as child:
        ensure_table(f"http://127.0.0.1:{child.port()}", "waitlist-test")
        assert child.running
    assert not child.running


def test_an_endpoint_that_does_not_answer_is_an_error() -> None:
    with pytest.raises(DynamoDbUnreachableError):
        ensure_table("http://127.0.0.1:1", "waitlist-test")
