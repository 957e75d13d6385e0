from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from moto.dynamodb.models.table import Table

from tests.unit.tools.tables import local_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = "waitlist-queries"
PEOPLE = 10


@pytest.fixture(scope="module")
def client() -> Iterator["DynamoDBClient"]:
    """A table of some people: the even ones in one place, the odd ones in another, last first."""
    with local_table(TABLE) as client:
        for number in range(PEOPLE):
            place = {"place": {"S": f"place {number % 2}"}, "place_rank": {"N": str(-number)}}
            put(client, f"person {number}", "RECORD", **place)
            for event in ("HISTORY#2", "HISTORY#1", "HISTORY#3"):
                put(client, f"person {number}", event)
        yield client


@pytest.fixture(autouse=True)
def _no_look_at_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(_: Table) -> None:
        raise AssertionError("the whole table was looked at")

    monkeypatch.setattr(Table, "all_items", everything)


def put(client: "DynamoDBClient", pk: str, sk: str, **more: Any) -> None:
    client.put_item(TableName=TABLE, Item={"pk": {"S": pk}, "sk": {"S": sk}, **more})


def found(client: "DynamoDBClient", condition: str, value: str, **more: Any) -> Any:
    return client.query(
        TableName=TABLE,
        KeyConditionExpression=condition,
        ExpressionAttributeValues={":v": {"S": value}, **more.pop("values", {})},
        **more,
    )


def people(answer: Any) -> list[str]:
    return [item["pk"]["S"] for item in answer["Items"]]


def test_a_query_finds_its_partition_in_order(client: "DynamoDBClient") -> None:
    answer = found(client, "pk = :v", "person 4")
    assert people(answer) == ["person 4"] * 4
    keys = [item["sk"]["S"] for item in answer["Items"]]
    assert keys == ["HISTORY#1", "HISTORY#2", "HISTORY#3", "RECORD"]
    assert "LastEvaluatedKey" not in answer


def test_a_part_of_a_partition_is_found_backwards(client: "DynamoDBClient") -> None:
    events = {":h": {"S": "HISTORY#"}}
    answer = found(
        client,
        "pk = :v AND begins_with(sk, :h)",
        "person 4",
        values=events,
        ScanIndexForward=False,
        Limit=2,
    )
    assert [item["sk"]["S"] for item in answer["Items"]] == ["HISTORY#3", "HISTORY#2"]
    assert answer["LastEvaluatedKey"]["sk"] == {"S": "HISTORY#2"}


def test_an_index_is_read_in_its_order_page_by_page(client: "DynamoDBClient") -> None:
    first = found(client, "place = :v", "place 1", IndexName="by_place", Limit=3)
    assert people(first) == ["person 9", "person 7", "person 5"]
    start = first["LastEvaluatedKey"]
    rest = found(client, "place = :v", "place 1", IndexName="by_place", ExclusiveStartKey=start)
    assert people(rest) == ["person 3", "person 1"]


def test_what_has_moved_is_found_where_it_is(client: "DynamoDBClient") -> None:
    put(client, "mover", "RECORD", place={"S": "here"}, place_rank={"N": "1"})
    put(client, "mover", "RECORD", place={"S": "there"}, place_rank={"N": "1"})
    assert people(found(client, "place = :v", "here", IndexName="by_place")) == []
    assert people(found(client, "place = :v", "there", IndexName="by_place")) == ["mover"]
    client.delete_item(TableName=TABLE, Key={"pk": {"S": "mover"}, "sk": {"S": "RECORD"}})
    assert people(found(client, "place = :v", "there", IndexName="by_place")) == []


def test_of_what_is_found_only_what_is_asked_for_is_shown(client: "DynamoDBClient") -> None:
    """Of an item that does not have it, the rest; within a map, that part of it."""
    seat = {"M": {"row": {"N": "7"}, "side": {"S": "left"}}}
    put(client, "ann", "1", note={"S": "early"}, seat=seat)
    put(client, "ann", "2", seat=seat)

    def shown(projection: str) -> Any:
        return found(client, "pk = :v", "ann", ProjectionExpression=projection)["Items"]

    assert shown("sk, note") == [{"sk": {"S": "1"}, "note": {"S": "early"}}, {"sk": {"S": "2"}}]
    assert shown("seat")[0] == {"seat": seat}
    assert shown("sk, seat.row")[1] == {"sk": {"S": "2"}, "seat": {"M": {"row": {"N": "7"}}}}


def test_nothing_is_found_where_nothing_is(client: "DynamoDBClient") -> None:
    assert people(found(client, "pk = :v", "nobody")) == []
    assert people(found(client, "place = :v", "nowhere", IndexName="by_place")) == []


def test_an_index_that_is_none_is_refused(client: "DynamoDBClient") -> None:
    with pytest.raises(ClientError, match="by_name"):
        found(client, "place = :v", "here", IndexName="by_name")
