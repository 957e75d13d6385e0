"""Finds writes that DynamoDB refuses because they are too large or malformed.

`make test-dynamodb` checks that AWS's DynamoDB Local refuses the same writes.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

from tools.local.table import create_table_request

Item = dict[str, Any]

MAX_ITEM_BYTES = 400 * 1024
MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
MAX_ACTIONS = 100
MAX_BATCH_WRITES = 25
MAX_DIGITS = 38
MAX_KEY_BYTES = {"pk": 2048, "sk": 1024}
ASSIGNMENT = re.compile(r"(#\w+) = (:\w+)")


class Refused(Exception):
    """DynamoDB would refuse the write or the query with a ValidationException and this message."""


class MisfitItem(Refused):
    """DynamoDB would refuse a write because its item is invalid.

    In a transaction, `position` is the write's index.
    """

    position = 0


def check_key(key: Mapping[str, Any]) -> None:
    for name, most in MAX_KEY_BYTES.items():
        text = key[name].get("S", "")
        if not text:
            raise Refused(
                "One or more parameter values are not valid. The AttributeValue for a key"
                f" attribute cannot contain an empty string value. Key: {name}"
            )
        if len(text) * 4 > most and len(text.encode()) > most:
            raise Refused(f"The key {name} has more than {most} bytes")


def check_write(write: Mapping[str, Any]) -> None:
    item = write.get("Item")
    check_key(write["Key"] if item is None else item)
    if item is not None:
        _check_numbers(item.values())
        if item_bytes(item) > MAX_ITEM_BYTES:
            raise Refused("Item size has exceeded the maximum allowed size")
    _check_numbers(write.get("ExpressionAttributeValues", {}).values())
    _check_index_keys(item or {})
    _check_index_keys(_assigned(write))


def check_updated(item: Mapping[str, Any]) -> None:
    if item_bytes(item) > MAX_ITEM_BYTES:
        raise MisfitItem("Item size to update has exceeded the maximum allowed size")


def check_transaction(actions: Sequence[Mapping[str, Item]]) -> None:
    if len(actions) > MAX_ACTIONS:
        raise Refused(f"Member must have length less than or equal to {MAX_ACTIONS}")
    misfit: MisfitItem | None = None
    keys = set()
    size = 0
    for position, action in enumerate(actions):
        (write,) = action.values()
        try:
            check_write(write)
        except MisfitItem as refused:
            refused.position = position
            misfit = misfit or refused
        key = write.get("Key") or write["Item"]
        keys.add((key["pk"]["S"], key["sk"]["S"]))
        size += _write_bytes(write)
    if len(keys) < len(actions):
        raise Refused("Transaction request cannot include multiple operations on one item")
    if size > MAX_TRANSACTION_BYTES:
        raise Refused(
            f"Transaction payload size cannot exceed 4MB. Payload Size: {size}",
        )
    if misfit is not None:
        raise misfit


def item_bytes(item: Mapping[str, Any]) -> int:
    """DynamoDB counts the names and values of all attributes."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return len(content.encode())
    if kind == "N":
        return (len(_digits(content)) + 1) // 2 + 1
    if kind == "M":
        return 3 + sum(
            1 + len(name.encode()) + _value_bytes(member) for name, member in content.items()
        )
    if kind == "L":
        return 3 + sum(1 + _value_bytes(member) for member in content)
    return 1


def _write_bytes(write: Mapping[str, Any]) -> int:
    names = write.get("ExpressionAttributeNames", {})
    texts = [*names, *names.values(), write.get("ConditionExpression", "")]
    values = write.get("ExpressionAttributeValues", {})
    parts = (write.get("Item", {}), write.get("Key", {}), values)
    return sum(map(item_bytes, parts)) + sum(len(text.encode()) for text in texts)


def _digits(number: str) -> str:
    return number.lstrip("-").strip("0").replace(".", "") or "0"


def _check_numbers(values: Iterable[Mapping[str, Any]]) -> None:
    for value in values:
        ((kind, content),) = value.items()
        if kind == "N":
            _check_number(content)
        elif kind in ("M", "L"):
            _check_numbers(content.values() if kind == "M" else content)


def _check_number(text: str) -> None:
    if len(text) <= MAX_DIGITS and text.lstrip("-").isdecimal():
        return
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise Refused("A value provided cannot be converted into a number") from None
    if len(_digits(f"{number:f}")) > MAX_DIGITS:
        raise Refused(f"DynamoDB only supports precision up to {MAX_DIGITS} digits")


def _assigned(write: Mapping[str, Any]) -> Item:
    names, values = (
        write.get("ExpressionAttributeNames", {}),
        write.get("ExpressionAttributeValues"),
    )
    found = ASSIGNMENT.findall(write.get("UpdateExpression", ""))
    return {names[name]: values[value] for name, value in found if values}


def _check_index_keys(attributes: Mapping[str, Any]) -> None:
    for name, kind in _index_keys().items():
        if name in attributes and kind not in attributes[name]:
            raise MisfitItem(
                "One or more parameter values were invalid: Type mismatch for Index Key"
            )
        if attributes.get(name) == {"S": ""}:
            raise MisfitItem(
                "One or more parameter values are not valid. A value specified for a secondary"
                " index key is not supported. The AttributeValue for a key attribute cannot contain"
                f" an empty string value. Key: {name}"
            )


@cache
def _index_keys() -> dict[str, str]:
    request = create_table_request("any")
    types = {
        attribute["AttributeName"]: attribute["AttributeType"]
        for attribute in request["AttributeDefinitions"]
    }
    (index,) = request["GlobalSecondaryIndexes"]
    names = [key["AttributeName"] for key in index["KeySchema"]]
    return {name: types[name] for name in names}
