"""Call DynamoDB with plain Python values, and convert AWS errors to this service's errors."""

import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, cast

from botocore.exceptions import BotoCoreError, ClientError
from msgspec import Struct

from waitlist_api.errors import RecordUnavailable
from waitlist_shared.errors import Throttled

Item = dict[str, Any]
Key = Mapping[str, str]

THROTTLING = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
# If DynamoDB cancels a transaction for one of these reasons, a retry would fail for the same
# reason.
NEVER_TAKEN = frozenset({"ValidationError", "ItemCollectionSizeLimitExceeded"})
BATCH_GET = 100
TRANSACTION = 100
BATCH_WRITE = 25
BATCH_TRIES = 5
# The delay before a retry is random. Its maximum is twice this time before the first retry, and
# doubles before each further retry.
PAUSE_SECONDS = 0.025


class ConditionFailed(Exception):
    """Raised if a write's condition fails. `item` is the stored item, if there is one."""

    def __init__(self, item: Item | None) -> None:
        super().__init__("the condition did not hold")
        self.item = item


class Table(Struct, frozen=True):
    """A DynamoDB table, accessed through a botocore client."""

    client: Any
    name: str
    pause: Callable[[float], None] = time.sleep

    def get(self, key: Key) -> Item | None:
        """Return an item, or None if it does not exist. The read is strongly consistent."""
        with _our_errors():
            answer = self.client.get_item(
                TableName=self.name, Key=_encode(key), ConsistentRead=True
            )
        return decode(answer["Item"]) if "Item" in answer else None

    def get_many(self, keys: Sequence[Key]) -> list[Item]:
        """Return up to 100 items in any order.

        Raise Throttled if DynamoDB does not return all items after several attempts.
        """
        wanted = [_encode(key) for key in keys]
        found: list[Item] = []
        for turn in range(BATCH_TRIES):
            if not wanted:
                break
            self.wait(turn)
            request = {self.name: {"Keys": wanted, "ConsistentRead": True}}
            with _our_errors():
                answer = self.client.batch_get_item(RequestItems=request)
            found += [decode(item) for item in answer["Responses"].get(self.name, [])]
            wanted = answer.get("UnprocessedKeys", {}).get(self.name, {}).get("Keys", [])
        if wanted:
            raise Throttled
        return found

    def put(self, item: Item, condition: str, values: Item | None = None) -> None:
        """Write an item. Raise ConditionFailed with the stored item if the condition fails."""
        with _our_errors():
            self.client.put_item(
                TableName=self.name,
                Item=_encode(item),
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
                **_expressions(values or {}, ConditionExpression=condition),
            )

    def update(self, key: Key, update: str, condition: str, values: Item) -> Item:
        """Update an item, and return the new item.

        Raise ConditionFailed with the stored item if the condition fails.
        """
        with _our_errors():
            answer = self.client.update_item(
                TableName=self.name,
                Key=_encode(key),
                ReturnValues="ALL_NEW",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
                **_expressions(values, UpdateExpression=update, ConditionExpression=condition),
            )
        return decode(answer["Attributes"])

    def delete(self, key: Key, condition: str, values: Item) -> None:
        """Delete an item. Raise ConditionFailed with the stored item if the condition fails."""
        with _our_errors():
            self.client.delete_item(
                TableName=self.name,
                Key=_encode(key),
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
                **_expressions(values, ConditionExpression=condition),
            )

    def transact(self, writes: Sequence[Item]) -> None:
        """Make all writes in a single transaction. Raise ConditionFailed if a condition fails."""
        with _our_errors():
            self.client.transact_write_items(TransactItems=list(writes))

    def put_write(self, item: Item, condition: str = "", values: Item | None = None) -> Item:
        """Return a put operation for `transact`."""
        write: Item = {"TableName": self.name, "Item": _encode(item)}
        if condition:
            write |= _expressions(values or {}, ConditionExpression=condition)
        return {"Put": write}

    def update_write(self, key: Key, update: str, condition: str, values: Item) -> Item:
        """Return an update operation for `transact`."""
        return {
            "Update": {
                "TableName": self.name,
                "Key": _encode(key),
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                **_expressions(values, UpdateExpression=update, ConditionExpression=condition),
            }
        }

    def delete_write(self, key: Key, condition: str = "", values: Item | None = None) -> Item:
        """Return a delete operation for `transact`."""
        write: Item = {"TableName": self.name, "Key": _encode(key)}
        if condition:
            write |= _expressions(values or {}, ConditionExpression=condition)
        return {"Delete": write}

    def query(
        self, condition: str, values: Item, after: Item | None = None, **options: Any
    ) -> tuple[list[Item], Item | None]:
        """Return a page of items, and the start key of the next page, which is None on the last
        page.

        The read is strongly consistent, unless it reads an index.
        """
        request = {"TableName": self.name, "ConsistentRead": "IndexName" not in options}
        request |= _expressions(values, KeyConditionExpression=condition, **options)
        if after is not None:
            request["ExclusiveStartKey"] = _encode(after)
        with _our_errors():
            answer = self.client.query(**request)
        last = answer.get("LastEvaluatedKey")
        return [decode(item) for item in answer["Items"]], decode(last) if last else None

    def put_many(self, items: Sequence[Item]) -> None:
        """Write items without conditions. All items must have different keys."""
        self._write_many([{"PutRequest": {"Item": _encode(item)}} for item in items])

    def delete_many(self, keys: Sequence[Key]) -> None:
        """Delete items without conditions."""
        self._write_many([{"DeleteRequest": {"Key": _encode(key)}} for key in keys])

    def _write_many(self, requests: Sequence[Item]) -> None:
        for start in range(0, len(requests), BATCH_WRITE):
            waiting = list(requests[start : start + BATCH_WRITE])
            for turn in range(BATCH_TRIES):
                self.wait(turn)
                with _our_errors():
                    answer = self.client.batch_write_item(RequestItems={self.name: waiting})
                waiting = answer.get("UnprocessedItems", {}).get(self.name, [])
                if not waiting:
                    break
            else:
                raise Throttled

    def wait(self, turn: int) -> None:
        """Sleep for a random time before a retry, so that concurrent retries do not collide."""
        if turn:
            self.pause(random.uniform(0, PAUSE_SECONDS * 2**turn))


def _encode(item: Mapping[str, Any]) -> Item:
    return {name: _typed(value) for name, value in item.items()}


def _typed(value: Any) -> Item:
    # Check for strings and integers first, because they are by far the most common values.
    if type(value) is str:
        return {"S": value}
    if type(value) is int:
        return {"N": str(value)}
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, Mapping):
        return {"M": _encode(value)}
    if isinstance(value, list | tuple):
        return {"L": [_typed(element) for element in value]}
    raise TypeError(f"records cannot contain values of type {type(value).__name__}")


def decode(item: Mapping[str, Any]) -> Item:
    """Convert an item from DynamoDB's typed format to plain Python values."""
    plain: Item = {}
    for name, typed in item.items():
        # Decode strings and integers here rather than in `_plain`. A rebuild decodes millions of
        # them, and a function call for each would take too long.
        if "S" in typed:
            plain[name] = typed["S"]
        elif "N" in typed:
            plain[name] = int(typed["N"])
        else:
            plain[name] = _plain(typed)
    return plain


def _plain(typed: Mapping[str, Any]) -> Any:
    ((kind, value),) = typed.items()
    match kind:
        case "S" | "BOOL":
            return value
        case "N":
            return int(value)
        case "NULL":
            return None
        case "M":
            return decode(value)
        case "L":
            return [_plain(element) for element in value]
    raise TypeError(f"records cannot contain values of type {kind}")


def _expressions(values: Item, **expressions: Any) -> Item:
    """Return a DynamoDB request's parameters for these expressions. The parameters include the
    attribute names and values that the expressions use.
    """
    names, used = _words_of(" ".join(map(str, expressions.values())))
    request: Item = dict(expressions)
    if names:
        request["ExpressionAttributeNames"] = {f"#{name}": name for name in names}
    if used:
        request["ExpressionAttributeValues"] = {f":{name}": _typed(values[name]) for name in used}
    return request


@lru_cache(maxsize=500)
def _words_of(expressions: str) -> tuple[set[str], set[str]]:
    """Return the names after `#` and the names after `:` in the expressions."""
    return set(re.findall(r"#(\w+)", expressions)), set(re.findall(r":(\w+)", expressions))


@contextmanager
def _our_errors() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        raise _translated(error) from error
    except BotoCoreError as error:
        raise RecordUnavailable from error


def _translated(error: ClientError) -> Exception:
    response = cast(Item, error.response)
    code = response["Error"]["Code"]
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code == "ConditionalCheckFailedException":
        return ConditionFailed(decode(response["Item"]) if "Item" in response else None)
    if code == "TransactionCanceledException":
        return _cancelled(error, response.get("CancellationReasons", []))
    if code in THROTTLING:
        return Throttled()
    if status >= 500:
        return RecordUnavailable()
    return error


def _cancelled(error: ClientError, reasons: Sequence[Item]) -> Exception:
    for reason in reasons:
        if reason.get("Code") == "ConditionalCheckFailed":
            return ConditionFailed(decode(reason["Item"]) if reason.get("Item") else None)
    if any(reason.get("Code") in NEVER_TAKEN for reason in reasons):
        return error
    # The transaction conflicted with another write or was throttled. A retry can succeed.
    return Throttled()
