"""An in-memory DynamoDB that supports what the service uses. It also refuses the writes that
DynamoDB would refuse (see limits.py).

`make test-dynamodb` compares it with AWS's DynamoDB Local.
"""

import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from types import CodeType
from typing import Any

from botocore.exceptions import ClientError

from tools.local.dynamodb import limits
from tools.local.dynamodb.items import (
    INDEX_KEYS,
    TABLE_KEYS,
    Item,
    Items,
    Key,
    Place,
    place_of,
    plain,
)
from tools.local.dynamodb.limits import MisfitItem, Refused
from tools.local.table import create_table_request

BATCH_GET = 100
# A key condition names the partition key. It may also limit the sort key, with at most one lower
# bound.
PARTITION = re.compile(r"(?:#\w+) = (:\w+)")
LOWER_BOUND = re.compile(r"(?:>=?|BETWEEN) (:\w+)|begins_with\(#\w+, (:\w+)\)")
EXPRESSION = re.compile(
    r"(?:#\w+(?:\.#\w+)*|:\w+|[<>]=?|=|<>|[(), ]|AND|OR|NOT|IN|BETWEEN"
    r"|attribute_exists|attribute_not_exists|begins_with)+"
)
# Matches the commas between assignments, but not those between the arguments of a function.
ASSIGNMENTS = re.compile(r",(?![^(]*\))")


class Missing:
    """Stands for an attribute that an item does not have. As in DynamoDB, every comparison with it
    is false.
    """

    def __eq__(self, _: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]
    __lt__ = __le__ = __gt__ = __ge__ = __eq__


class ConditionNotMet(Exception):
    def __init__(self, item: Item | None) -> None:
        super().__init__("the conditional request failed")
        self.item = item


class MemoryTable:
    """A DynamoDB client with one table in memory. Each call is atomic."""

    def __init__(self) -> None:
        self._items = Items()
        self._lock = threading.RLock()

    @property
    def items(self) -> Items:
        """Tests may change the items."""
        return self._items

    @items.setter
    def items(self, items: Mapping[Key, Item]) -> None:
        self._items = Items(items)

    def get_item(self, Key: Item, **_: Any) -> Item:  # noqa: N803
        with _refusing("GetItem"), self._lock:
            limits.check_key(Key)
            item = self.items.get(_key(Key))
            return {"Item": dict(item)} if item is not None else {}

    def put_item(self, **request: Any) -> Item:
        return self._alone(request, self._put, "PutItem")

    def update_item(self, **request: Any) -> Item:
        return {"Attributes": self._alone(request, self._update, "UpdateItem")}

    def delete_item(self, **request: Any) -> Item:
        return self._alone(request, self._delete, "DeleteItem")

    def transact_write_items(self, TransactItems: list[Item], **_: Any) -> Item:  # noqa: N803
        writes = {"Put": self._put, "Update": self._update, "Delete": self._delete}
        reasons: list[Item] = [{"Code": "None"} for _ in TransactItems]
        with _refusing("TransactWriteItems", reasons), self._lock:
            limits.check_transaction(TransactItems)
            before = {key: self.items.get(key) for key in map(_key_of_action, TransactItems)}
            try:
                for number, action in enumerate(TransactItems):
                    ((kind, request),) = action.items()
                    try:
                        writes[kind](request)
                    except ConditionNotMet as error:
                        raise _cancelled(error, number, reasons, request) from error
                    except MisfitItem as error:
                        error.position = number
                        raise
            except BaseException:
                for key, item in before.items():
                    self._write(key, item)
                raise
        return {}

    def batch_get_item(self, RequestItems: Item) -> Item:  # noqa: N803
        with self._lock:
            ((table, request),) = RequestItems.items()
            keys = [_key(key) for key in request["Keys"]]
            _check_batch(keys, BATCH_GET, "BatchGetItem")
            found = [self.items.get(key) for key in keys]
        items = [dict(item) for item in found if item is not None]
        return {"Responses": {table: items}, "UnprocessedKeys": {}}

    def batch_write_item(self, RequestItems: Item) -> Item:  # noqa: N803
        with self._lock:
            ((_, requests),) = RequestItems.items()
            keys = [_key_of_batched(request) for request in requests]
            _check_batch(keys, limits.MAX_BATCH_WRITES, "BatchWriteItem")
            for request in requests:
                if "PutRequest" in request:
                    limits.check_write(request["PutRequest"])
                    self._put(request["PutRequest"])
                else:
                    self._delete(request["DeleteRequest"])
        return {"UnprocessedItems": {}}

    def query(self, **request: Any) -> Item:
        keys = INDEX_KEYS if "IndexName" in request else TABLE_KEYS
        with _refusing("Query"), self._lock:
            items = self._readable(request)
            places = _chosen(items, keys, request)
            page = [items[pk, sk] for _, pk, sk in places]
            _check_projection(request)
        if not page:
            return {"Items": []}
        shown = [_in_index(item) if "IndexName" in request else item for item in page]
        found = [item for item in shown if _holds(request, "FilterExpression", item)]
        answer: Item = {"Items": [_shown_in(request, item) for item in found]}
        if len(page) == request.get("Limit"):
            answer["LastEvaluatedKey"] = {name: page[-1][name] for name in {*keys, *TABLE_KEYS}}
        return answer

    def scan(self, **request: Any) -> Item:
        with self._lock:
            items = list(self.items.values())
        return {
            "Items": [dict(item) for item in items if _holds(request, "FilterExpression", item)]
        }

    def _readable(self, _request: Item) -> Items:
        """Return the items that a query can find. Tests override this method so that a query finds
        older versions of items, as it can in DynamoDB's indexes.
        """
        return self.items

    def _write(self, key: Key, item: Item | None) -> None:
        """If `item` is None, remove the stored item."""
        if item is None:
            self.items.pop(key, None)
        else:
            self.items[key] = item

    def _alone(self, request: Item, write: Any, operation: str) -> Item:
        with _refusing(operation), self._lock:
            limits.check_write(request)
            try:
                answer: Item = write(request)
            except ConditionNotMet as error:
                raise _failed(error, request, operation) from error
        return answer

    def _checked(self, request: Item, key: Key) -> Item | None:
        item = self.items.get(key)
        if not _holds(request, "ConditionExpression", item or {}):
            raise ConditionNotMet(item)
        return item

    def _put(self, request: Item) -> Item:
        key = _key(request["Item"])
        self._checked(request, key)
        self._write(key, dict(request["Item"]))
        return {}

    def _delete(self, request: Item) -> Item:
        key = _key(request["Key"])
        self._checked(request, key)
        self._write(key, None)
        return {}

    def _update(self, request: Item) -> Item:
        key = _key(request["Key"])
        item = {**request["Key"], **(self._checked(request, key) or {})}
        sets, _, removes = request["UpdateExpression"].partition("REMOVE")
        names, values = request["ExpressionAttributeNames"], _values(request)
        before = dict(item)
        for assignment in ASSIGNMENTS.split(sets.removeprefix("SET ")) if sets else ():
            target, _, source = assignment.partition("=")
            item[names[target.strip()]] = _sum(source.split("+"), before, names, values)
        for name in filter(None, map(str.strip, removes.split(","))):
            item.pop(names[name], None)
        limits.check_updated(item)
        self._write(key, item)
        return dict(item)


@contextmanager
def _refusing(operation: str, reasons: list[Item] | None = None) -> Iterator[None]:
    """Convert refusals to the errors that DynamoDB sends.

    An invalid item in a transaction causes the transaction to be cancelled, and the error gives a
    reason for each write.
    """
    try:
        yield
    except MisfitItem as error:
        if reasons is None:
            raise _invalid(error, operation) from error
        reasons[error.position] = {"Code": "ValidationError", "Message": str(error)}
        raise _of_reasons(reasons, error) from error
    except Refused as error:
        raise _invalid(error, operation) from error


def _check_batch(keys: list[Key], most: int, operation: str) -> None:
    with _refusing(operation):
        if len(keys) > most:
            raise Refused(f"Too many items requested for the {operation} call")
        if len(keys) > len(set(keys)):
            raise Refused("Provided list of item keys contains duplicates")


def _check_projection(request: Item) -> None:
    if "IndexName" in request and (missing := _asked(request) - projected()):
        raise Refused(f"Global secondary index does not project {sorted(missing)}")


def _asked(request: Item) -> set[str]:
    """Return the attributes that a query asks for. An empty set means all attributes."""
    names = request.get("ExpressionAttributeNames", {})
    return {names[name] for name in request.get("ProjectionExpression", "").split(", ") if name}


def _in_index(item: Item) -> Item:
    return {name: value for name, value in item.items() if name in projected()}


def _shown_in(request: Item, item: Item) -> Item:
    asked = _asked(request) or set(item)
    return {name: value for name, value in item.items() if name in asked}


@cache
def projected() -> set[str]:
    (index,) = create_table_request("any")["GlobalSecondaryIndexes"]
    return {*index["Projection"]["NonKeyAttributes"], *INDEX_KEYS, *TABLE_KEYS}


def _sum(terms: list[str], item: Item, names: Item, values: Item) -> Item:
    operands = [_operand(term.strip(), item, names, values) for term in terms]
    if len(operands) == 1:
        operand: Item = operands[0]
        return operand
    return {"N": str(sum(int(operand["N"]) for operand in operands))}


def _operand(term: str, item: Item, names: Item, values: Item) -> Any:
    if unless := re.fullmatch(r"if_not_exists\((#\w+), (:\w+)\)", term):
        return item.get(names[unless[1]], values[unless[2]])
    return values[term] if term[0] == ":" else item[names[term]]


def _values(request: Item) -> Item:
    values: Item = request.get("ExpressionAttributeValues", {})
    return values


def _key(item: Item) -> Key:
    return item["pk"]["S"], item["sk"]["S"]


def _key_of_batched(request: Item) -> Key:
    if "PutRequest" in request:
        return _key(request["PutRequest"]["Item"])
    return _key(request["DeleteRequest"]["Key"])


def _key_of_action(action: Item) -> Key:
    (request,) = action.values()
    return _key(request.get("Item") or request["Key"])


def _chosen(items: Items, keys: tuple[str, str], request: Item) -> list[Place]:
    """Find a query's items by bisection, so that reading a page takes almost as little time in a
    large partition as in a small one.
    """
    condition, values = request["KeyConditionExpression"], _values(request)
    found = PARTITION.match(condition)
    if found is None:
        raise Refused("Query condition missed key schema element")
    places = items.partition(keys, plain(values[found[1]]))
    if not places:
        return []

    def selected(place: Place) -> bool:
        return _holds(request, "KeyConditionExpression", items[place[1], place[2]])

    low = 0
    if bound := LOWER_BOUND.search(condition):
        low = bisect_left(places, (plain(values[bound[1] or bound[2]]),))
        while low < len(places) and "> " in condition and not selected(places[low]):
            low += 1
    high = bisect_left(places, True, low, key=lambda place: not selected(place))
    is_forward = request.get("ScanIndexForward", True)
    if start := request.get("ExclusiveStartKey"):
        place = place_of(start, keys)
        low = max(low, bisect_right(places, place)) if is_forward else low
        high = high if is_forward else min(high, bisect_left(places, place))
    if is_forward:
        return places[low : min(high, low + request.get("Limit", high))]
    return places[max(low, high - request.get("Limit", high)) : high][::-1]


def _holds(request: Item, name: str, item: Item) -> bool:
    if name not in request:
        return True
    values = _values(request)
    names = request.get("ExpressionAttributeNames", {})
    words = {
        **FUNCTIONS,
        "attribute": lambda path: _find(item, [names[name] for name in path.split(".")]),
        "value": lambda name: plain(values[name]),
    }
    return bool(eval(_compiled(request[name]), {"__builtins__": {}}, words))


def _find(item: Item, path: list[str]) -> Any:
    """Return the value at a path through nested maps, or Missing."""
    *maps, last = path
    for name in maps:
        item = item.get(name, {}).get("M", {})
    return plain(item[last]) if last in item else Missing()


FUNCTIONS = {
    "attribute_exists": lambda found: not isinstance(found, Missing),
    "attribute_not_exists": lambda found: isinstance(found, Missing),
    "begins_with": lambda text, start: isinstance(text, str) and text.startswith(start),
}


@cache
def _compiled(expression: str) -> CodeType:
    """Translate a DynamoDB condition expression to Python.

    Python evaluates the result, so words that are not part of DynamoDB's language are refused
    first.
    """
    if not EXPRESSION.fullmatch(expression):
        raise Refused(f"Invalid expression, or not supported here: {expression}")
    if _has_redundant_parentheses(expression):
        raise Refused("The expression has redundant parentheses")
    text = re.sub(r"(#\w+) BETWEEN (:\w+) AND (:\w+)", r"\2 <= \1 <= \3", expression)
    text = re.sub(r"(?<![<>])=", "==", text).replace("<>", "!=")
    text = re.sub(r"\b(AND|OR|NOT|IN)\b", lambda word: word[0].lower(), text)
    text = re.sub(r"#\w+(?:\.#\w+)*", lambda name: f"attribute({name[0]!r})", text)
    text = re.sub(r":\w+", lambda name: f"value({name[0]!r})", text)
    return compile(text, expression, "eval")


def _has_redundant_parentheses(expression: str) -> bool:
    """DynamoDB refuses expressions in which two pairs of parentheses enclose the same text."""
    opened, closed = [], {}
    for place, character in enumerate(expression):
        if character == "(":
            opened.append(place)
        elif character == ")" and opened:
            closed[opened.pop()] = place
    return any(closed.get(start + 1) == end - 1 for start, end in closed.items())


def _shown(error: ConditionNotMet, request: Item) -> Item:
    if error.item is None or request.get("ReturnValuesOnConditionCheckFailure") != "ALL_OLD":
        return {}
    return {"Item": dict(error.item)}


def _failed(error: ConditionNotMet, request: Item, operation: str) -> ClientError:
    code = "ConditionalCheckFailedException"
    response: Any = {"Error": {"Code": code, "Message": str(error)}, **_shown(error, request)}
    return ClientError(response, operation)


def _invalid(error: Refused, operation: str) -> ClientError:
    response: Any = {"Error": {"Code": "ValidationException", "Message": str(error)}}
    return ClientError(response, operation)


def _cancelled(
    error: ConditionNotMet, number: int, reasons: list[Item], request: Item
) -> ClientError:
    reasons[number] = {"Code": "ConditionalCheckFailed", **_shown(error, request)}
    return _of_reasons(reasons, error)


def _of_reasons(reasons: list[Item], error: Exception) -> ClientError:
    code = "TransactionCanceledException"
    response: Any = {"Error": {"Code": code, "Message": str(error)}, "CancellationReasons": reasons}
    return ClientError(response, "TransactWriteItems")
