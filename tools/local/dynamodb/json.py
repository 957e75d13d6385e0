"""Makes moto take and give JSON as it is.

Moto looks for each value of a request and of an answer by its shape, under several names: a page of
500 items takes it half a second. But for bytes, JSON of DynamoDB is what it looks like.
"""

import json
from collections.abc import Callable
from typing import Any

from moto.core.responses import ActionResult
from moto.dynamodb.responses import DynamoHandler

CHANGED = "_takes_json_as_it_is"
BYTES = (b'"B"', b'"BS"')
CONTENT_TYPE = "application/x-amz-json-1.0"
# Those that tell of items; the others tell of tables, with times.
OF_ITEMS = frozenset(
    {
        "BatchGetItem",
        "BatchWriteItem",
        "DeleteItem",
        "GetItem",
        "PutItem",
        "Query",
        "Scan",
        "TransactWriteItems",
        "UpdateItem",
    }
)


def plain_json() -> None:
    """Changes moto for this process; a second call changes nothing."""
    if hasattr(DynamoHandler, CHANGED):
        return
    changes: list[tuple[str, Any]] = [
        (CHANGED, True),
        ("parse_parameters", _taking(DynamoHandler.parse_parameters)),
        ("serialized", _giving(DynamoHandler.serialized)),
    ]
    for name, value in changes:
        setattr(DynamoHandler, name, value)


def _taking(parse: Callable[[DynamoHandler, Any], None]) -> Any:
    def parse_parameters(handler: DynamoHandler, request: Any) -> None:
        body: bytes = request.data
        if not body or any(kind in body for kind in BYTES):
            parse(handler, request)
        else:
            handler.params = json.loads(body)

    return parse_parameters


def _giving(serialize: Callable[[DynamoHandler, ActionResult], Any]) -> Any:
    def serialized(handler: DynamoHandler, answer: ActionResult) -> Any:
        if isinstance(answer.result, dict) and handler._get_action() in OF_ITEMS:
            try:
                body = json.dumps(answer.result)
            except TypeError:
                # Bytes, which only moto knows how to write.
                return serialize(handler, answer)
            return 200, {"Content-Type": CONTENT_TYPE, **handler.response_headers}, body
        return serialize(handler, answer)

    return serialized
