"""Makes moto's writes cost what they write.

Moto parses each expression of a transaction three times and checks the size of an item for each of
its attributes; an update by an expression takes it 8 ms. Here it judges an expression of each form
once, and plain assignments are carried out as such. Nothing is kept of what was written over.
"""

import re
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

from moto.core.responses import ActionResult
from moto.dynamodb.comparisons import get_filter_expression
from moto.dynamodb.exceptions import ItemSizeTooLarge, MockValidationException
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DDBType, DynamoType, Item, LimitedSizeDict
from moto.dynamodb.models.table import StreamRecord, StreamShard, Table
from moto.dynamodb.responses import DynamoHandler, validate_put_has_empty_keys

from tools.local.dynamodb.limits import (
    MAX_ITEM_BYTES,
    Refused,
    check_batch,
    check_transaction,
    check_write,
)

CHANGED = "_judges_each_form_once"
LONGEST_CHARACTER = 4
PLAIN_TYPES = (DDBType.STRING, DDBType.NUMBER)
ASSIGNMENT, REMOVAL = r"(#\w+) = (:\w+)", r"#\w+"
PLAIN = re.compile(
    rf"(?:SET (?P<set>{ASSIGNMENT}(?:, {ASSIGNMENT})*))? ?"
    rf"(?:REMOVE (?P<remove>{REMOVAL}(?:, {REMOVAL})*))?"
)
# Of the table's stream, which DynamoDB keeps for a day and moto for ever.
KEPT_RECORDS = 10_000
# Of transactions, which DynamoDB knows by their tokens for ten minutes.
KEPT_TOKENS = 10_000
NOTHING_TOLD: dict[str, Any] = {"ConsumedCapacity": [], "ItemCollectionMetrics": {}}
Operation = dict[str, Any]


def cheap_writes() -> None:
    """Changes moto for this process; a second call changes nothing."""
    if hasattr(DynamoHandler, CHANGED):
        return
    changes: list[tuple[type, str, Any]] = [
        (DynamoHandler, CHANGED, True),
        (DynamoHandler, "put_item", _checked(check_write, DynamoHandler.put_item)),
        (DynamoHandler, "update_item", _checked(check_write, DynamoHandler.update_item)),
        (DynamoHandler, "delete_item", _checked(check_write, DynamoHandler.delete_item)),
        (
            DynamoHandler,
            "batch_write_item",
            _checked(
                lambda body: check_batch(sum(map(len, body["RequestItems"].values()))),
                DynamoHandler.batch_write_item,
            ),
        ),
        (
            DynamoHandler,
            "transact_write_items",
            _checked(
                lambda body: check_transaction(body["TransactItems"]),
                _once(DynamoHandler.transact_write_items),
            ),
        ),
        (DynamoDBBackend, "update_item", _plainly(DynamoDBBackend.update_item)),
        (Item, "__init__", _make),
        (Item, "__new__", _untracked),
        (StreamRecord, "__new__", _untracked),
        (StreamShard, "add", _forgetting(StreamShard.add)),
    ]
    for owner, name, value in changes:
        setattr(owner, name, value)


def _checked(
    check: Callable[[dict[str, Any]], None], handle: Callable[[DynamoHandler], ActionResult]
) -> Any:
    """Refuse what DynamoDB refuses for its size or its form."""

    def handle_checked(handler: DynamoHandler) -> ActionResult:
        try:
            check(handler.body)
        except Refused as error:
            raise MockValidationException(str(error)) from error
        return handle(handler)

    return handle_checked


def _once(transact: Callable[[DynamoHandler], ActionResult]) -> Any:
    """Leave to moto what it has not judged yet, and what it will refuse: it knows how."""
    judged: set[Any] = set()
    done: dict[str, None] = {}

    def transact_write_items(handler: DynamoHandler) -> ActionResult:
        token = handler.body.get("ClientRequestToken")
        if token in done:
            # The repeat of a request whose answer was not heard.
            return ActionResult(NOTHING_TOLD)
        answer = carried_out(handler)
        if token:
            done[token] = None
        if len(done) > KEPT_TOKENS:
            del done[next(iter(done))]
        return answer

    def carried_out(handler: DynamoHandler) -> ActionResult:
        operations = handler.body["TransactItems"]
        forms = {_form(one) for one in operations}
        backend = handler.dynamodb_backend
        if not forms <= judged or not all(_holds(backend, one) for one in operations):
            answer = transact(handler)
            judged.update(forms)
            return answer
        backend.transact_write_items([_unconditional(one) for one in operations])
        return ActionResult(NOTHING_TOLD)

    return transact_write_items


def _form(operation: Operation) -> Any:
    """Return all of a write but its key and its values."""
    return tuple(
        (
            kind,
            write.get("TableName"),
            write.get("ConditionExpression"),
            write.get("UpdateExpression"),
            tuple(write.get("ExpressionAttributeNames", {}).items()),
            tuple(write.get("ExpressionAttributeValues", {"": ""})),
        )
        for kind, write in operation.items()
    )


def _holds(backend: DynamoDBBackend, operation: Operation) -> bool:
    ((kind, write),) = operation.items()
    table = backend.get_table(write["TableName"])
    if kind == "Put":
        validate_put_has_empty_keys(write["Item"], table)
    if "ConditionExpression" not in write:
        return True
    key = write["Item"] if kind == "Put" else write["Key"]
    return bool(_condition(write).expr(table.get_item(*backend.get_keys_value(table, key))))


def _condition(write: Operation) -> Any:
    """Return a condition as moto reads it; those of the same values are read once."""
    expression: str = write["ConditionExpression"]
    names = write.get("ExpressionAttributeNames") or {}
    values = write.get("ExpressionAttributeValues") or {}
    used = {name: values[name] for name in re.findall(r":\w+", expression) if name in values}
    if any(kind not in PLAIN_TYPES for value in used.values() for kind in value):
        return get_filter_expression(expression, names, used)
    flat = tuple((name, kind, text) for name in used for kind, text in used[name].items())
    return _parsed(expression, tuple(names.items()), flat)


@lru_cache(maxsize=256)
def _parsed(
    expression: str, names: tuple[tuple[str, str], ...], values: tuple[tuple[str, str, str], ...]
) -> Any:
    typed = {name: {kind: text} for name, kind, text in values}
    return get_filter_expression(expression, dict(names), typed)


def _unconditional(operation: Operation) -> Operation:
    ((kind, write),) = operation.items()
    return {kind: {name: one for name, one in write.items() if name != "ConditionExpression"}}


def _plainly(update: Callable[..., Item]) -> Any:
    def update_item(
        backend: DynamoDBBackend,
        table_name: str,
        key: dict[str, Any],
        update_expression: str,
        *rest: Any,
        **more: Any,
    ) -> Item:
        plain = PLAIN.fullmatch(update_expression or "-")
        if plain and not rest and not more.get("condition_expression"):
            table = backend.get_table(table_name)
            item = table.get_item(*backend.get_keys_value(table, key))
            if item is not None:
                return _assign(table, item, plain, more)
        return update(backend, table_name, key, update_expression, *rest, **more)

    return update_item


def _assign(table: Table, item: Item, plain: re.Match[str], more: dict[str, Any]) -> Item:
    names = more["expression_attribute_names"]
    values = more["expression_attribute_values"]
    attributes = dict(item.attrs)
    for name, value in re.findall(ASSIGNMENT, plain["set"] or ""):
        attributes[names[name]] = DynamoType(values[value])
    for name in re.findall(REMOVAL, plain["remove"] or ""):
        attributes.pop(names[name], None)
    changed: Any = Item.__new__(Item)
    changed.hash_key, changed.range_key = item.hash_key, item.range_key
    changed.attrs = _limited(attributes)
    table.items[item.hash_key][item.range_key] = changed
    if table.stream_shard is not None:
        table.stream_shard.add(item, changed)
    return cast(Item, changed)


def _make(
    item: Item, hash_key: DynamoType, range_key: DynamoType | None, attrs: dict[str, Any]
) -> None:
    item.hash_key, item.range_key = hash_key, range_key
    item.attrs = _limited({name: DynamoType(value) for name, value in attrs.items()})


def _untracked(kind: type, *_given: Any, **_more: Any) -> Any:
    """Make an object as Python does.

    Moto keeps all that it has ever made, to forget it in a test's reset: each version of each item,
    and each record of the stream.
    """
    return object.__new__(kind)


def _limited(attributes: dict[str, DynamoType]) -> LimitedSizeDict:
    """Return attributes as moto keeps them, their size checked once and not for each of them."""
    if not _is_surely_small(attributes):
        size = sum(len(name.encode()) + one.size() for name, one in attributes.items())
        if size > MAX_ITEM_BYTES:
            raise ItemSizeTooLarge
    limited = LimitedSizeDict()
    # Each request brings its own copy of every name.
    dict.update(limited, {sys.intern(name): value for name, value in attributes.items()})
    return limited


def _is_surely_small(attributes: dict[str, DynamoType]) -> bool:
    """Whether an item of text and numbers is small in any encoding."""
    if any(one.type not in PLAIN_TYPES for one in attributes.values()):
        return False
    characters = sum(len(name) + len(one.value) for name, one in attributes.items())
    return characters * LONGEST_CHARACTER <= MAX_ITEM_BYTES


def _forgetting(add: Callable[[StreamShard, Item | None, Item | None], None]) -> Any:
    def add_and_forget(shard: StreamShard, old: Item | None, new: Item | None) -> None:
        add(shard, old, new)
        # Twice as many, so that the list is not moved each time.
        if len(shard.items) > 2 * KEPT_RECORDS:
            del shard.items[:-KEPT_RECORDS]
            shard.starting_sequence_number += KEPT_RECORDS + 1

    return add_and_forget
