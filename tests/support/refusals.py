"""Pairs of writes to DynamoDB.

In each pair, DynamoDB refuses the first write because it is too large or malformed, and accepts the
second.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from tests.support.dynamodb import TABLE

Item = dict[str, Any]
INVALID, CANCELLED = "ValidationException", "TransactionCanceledException"
MANY_DIGITS = "9" * 39
ITEM_BYTES = 400 * 1024
TRANSACTION_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Case:
    """A call to DynamoDB, and the error code that DynamoDB returns. An empty code means success."""

    name: str
    code: str
    call: Callable[[Any], Any]


def code_of(case: Case, client: Any) -> str:
    try:
        case.call(client)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return ""


def key(number: int) -> Item:
    return {"pk": {"S": f"ENTRY#{number:03d}"}, "sk": {"S": "RECORD"}}


def item_of(number: int, size: int) -> Item:
    names_and_keys = len("pk" + "ENTRY#000" + "sk" + "RECORD" + "text")
    return {**key(number), "text": {"S": "x" * (size - names_and_keys)}}


def put(client: Any, item: Item) -> Any:
    return client.put_item(TableName=TABLE, Item=item)


def put_if(client: Any, condition: str) -> Any:
    return client.put_item(
        TableName=TABLE,
        Item=key(1),
        ConditionExpression=condition,
        ExpressionAttributeNames={"#n": "n"},
        ExpressionAttributeValues={":n": {"N": "1"}},
    )


def update(client: Any, number: int, name: str, value: Item) -> Any:
    return client.update_item(TableName=TABLE, Key=key(number), **_setting(name, value))


def put_action(item: Item) -> Item:
    return {"Put": {"TableName": TABLE, "Item": item}}


def update_action(number: int, name: str, value: Item) -> Item:
    return {"Update": {"TableName": TABLE, "Key": key(number), **_setting(name, value)}}


def delete_action(item_key: Item) -> Item:
    return {"Delete": {"TableName": TABLE, "Key": item_key}}


def transact(client: Any, *actions: Item) -> Any:
    return client.transact_write_items(TransactItems=list(actions))


def puts(count: int, size: int) -> list[Item]:
    return [put_action(item_of(number, size)) for number in range(count)]


def updates(count: int, size: int) -> list[Item]:
    return [update_action(number, "text", {"S": "x" * size}) for number in range(count)]


def grow(client: Any, *, in_transaction: bool) -> Any:
    """Append enough text to an item to make it larger than DynamoDB allows."""
    put(client, item_of(1, ITEM_BYTES - 100))
    more = {"S": "y" * 200}
    if in_transaction:
        return transact(client, update_action(1, "more", more))
    return update(client, 1, "more", more)


def _setting(name: str, value: Item) -> Item:
    return {
        "UpdateExpression": "SET #name = :value",
        "ExpressionAttributeNames": {"#name": name},
        "ExpressionAttributeValues": {":value": value},
    }


EMPTY_PK = {**key(1), "pk": {"S": ""}}
EMPTY_SK = {**key(1), "sk": {"S": ""}}
PLACED = {**key(1), "place": {"S": "bakery#0"}, "place_rank": {"N": "1"}}
CASES = [
    Case("put an item of 400 KB", "", lambda c: put(c, item_of(1, ITEM_BYTES))),
    Case("put an item of 400 KB and a byte", INVALID, lambda c: put(c, item_of(1, ITEM_BYTES + 1))),
    Case(
        "put an item of 400 KB in two-byte letters",
        INVALID,
        lambda c: put(c, _cyrillic(ITEM_BYTES)),
    ),
    Case("update an item to more than 400 KB", INVALID, lambda c: grow(c, in_transaction=False)),
    Case(
        "update an item to more than 400 KB in a transaction",
        CANCELLED,
        lambda c: grow(c, in_transaction=True),
    ),
    Case(
        "put 400 KB in a transaction", "", lambda c: transact(c, put_action(item_of(1, ITEM_BYTES)))
    ),
    Case(
        "put 400 KB and a byte in a transaction",
        INVALID,
        lambda c: transact(c, put_action(item_of(1, ITEM_BYTES + 1))),
    ),
    Case(
        "put 4 MB in a transaction", "", lambda c: transact(c, *puts(16, TRANSACTION_BYTES // 16))
    ),
    Case(
        "put more than 4 MB in a transaction",
        INVALID,
        lambda c: transact(c, *puts(16, TRANSACTION_BYTES // 16 + 1)),
    ),
    Case(
        "update nearly 4 MB in a transaction",
        "",
        lambda c: transact(c, *updates(64, 64 * 1024 - 100)),
    ),
    Case("update 4 MB in a transaction", INVALID, lambda c: transact(c, *updates(64, 64 * 1024))),
    Case("100 actions", "", lambda c: transact(c, *puts(100, 50))),
    Case("101 actions", INVALID, lambda c: transact(c, *puts(101, 50))),
    Case(
        "two actions on one item",
        INVALID,
        lambda c: transact(c, put_action(key(1)), delete_action(key(1))),
    ),
    Case("a number of 38 digits", "", lambda c: put(c, {**key(1), "n": {"N": "9" * 38}})),
    Case("a number of 39 digits", INVALID, lambda c: put(c, {**key(1), "n": {"N": MANY_DIGITS}})),
    Case(
        "a negative number of 39 digits",
        INVALID,
        lambda c: put(c, {**key(1), "n": {"N": f"-{MANY_DIGITS}"}}),
    ),
    Case("10 to the 40th", "", lambda c: put(c, {**key(1), "n": {"N": "1" + "0" * 40}})),
    Case("39 digits in a map", INVALID, lambda c: put(c, {**key(1), "n": {"M": {"a": _many()}}})),
    Case("39 digits in a list", INVALID, lambda c: put(c, {**key(1), "n": {"L": [_many()]}})),
    Case("39 digits in an update", INVALID, lambda c: update(c, 1, "n", _many())),
    Case(
        "39 digits in a transaction",
        INVALID,
        lambda c: transact(c, put_action({**key(1), "n": _many()})),
    ),
    Case("no number", INVALID, lambda c: put(c, {**key(1), "n": {"N": "many"}})),
    Case("an item in the index", "", lambda c: put(c, PLACED)),
    Case("text as a rank", INVALID, lambda c: put(c, {**PLACED, "place_rank": {"S": "1"}})),
    Case("a number as a place", INVALID, lambda c: put(c, {**PLACED, "place": {"N": "1"}})),
    Case("an empty place", INVALID, lambda c: put(c, {**PLACED, "place": {"S": ""}})),
    Case("an update to text as a rank", INVALID, lambda c: update(c, 1, "place_rank", {"S": "1"})),
    Case(
        "text as a rank in a transaction",
        CANCELLED,
        lambda c: transact(c, put_action({**PLACED, "place_rank": {"S": "1"}})),
    ),
    Case("an empty pk", INVALID, lambda c: put(c, EMPTY_PK)),
    Case("an empty sk", INVALID, lambda c: put(c, EMPTY_SK)),
    Case("a read with an empty sk", INVALID, lambda c: c.get_item(TableName=TABLE, Key=EMPTY_SK)),
    Case("an empty key in a transaction", INVALID, lambda c: transact(c, put_action(EMPTY_PK))),
    Case(
        "a delete with an empty sk in a transaction",
        INVALID,
        lambda c: transact(c, delete_action(EMPTY_SK)),
    ),
    Case("a pk of 2,049 bytes", INVALID, lambda c: put(c, {**key(1), "pk": {"S": "p" * 2049}})),
    Case("an sk of 1,025 bytes", INVALID, lambda c: put(c, {**key(1), "sk": {"S": "s" * 1025}})),
    Case(
        "a condition in parentheses",
        "",
        lambda c: put_if(c, "(#n = :n OR #n <> :n) AND NOT (#n = :n)"),
    ),
    Case(
        "a condition in redundant parentheses",
        INVALID,
        lambda c: put_if(c, "#n <> :n OR ((#n = :n OR #n = :n))"),
    ),
    Case("the same key twice in a batch", INVALID, lambda c: _read(c, key(1), key(1))),
    Case("101 keys in a batch", INVALID, lambda c: _read(c, *map(key, range(101)))),
    Case("26 writes in a batch", INVALID, lambda c: _delete(c, *map(key, range(26)))),
    Case("the same key twice in a batch of writes", INVALID, lambda c: _delete(c, key(1), key(1))),
]


def _many() -> Item:
    return {"N": MANY_DIGITS}


def _cyrillic(letters: int) -> Item:
    return {**key(1), "text": {"S": "ж" * (letters // 2)}}


def _read(client: Any, *keys: Item) -> Any:
    return client.batch_get_item(RequestItems={TABLE: {"Keys": list(keys)}})


def _delete(client: Any, *keys: Item) -> Any:
    deletes = [{"DeleteRequest": {"Key": item_key}} for item_key in keys]
    return client.batch_write_item(RequestItems={TABLE: deletes})
