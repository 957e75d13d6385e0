"""Write the OpenAPI documents, which have the same content as `/docs`. Run by `make openapi`.

`docs/openapi/guests.json` describes a stack that accepts guests, and `docs/openapi/jwt.json` a
stack whose customers sign in with an issuer's tokens. `customers.json` and `customers-jwt.json`
contain only the customer routes, and apps can generate their clients from them. These two files
have one line for each operation and component, because their content is already in the whole
documents.
"""

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aws_lambda_powertools import Logger

from waitlist_api.auth.credentials import ADMIN_PATH, EntryTokens
from waitlist_api.config import Config
from waitlist_api.http.api import Api
from waitlist_api.services import Services

ROOT = Path(__file__).resolve().parents[1]
# Each file, and whether the customers of its stack have tokens from an issuer.
FILES = {"docs/openapi/guests.json": False, "docs/openapi/jwt.json": True}
CUSTOMERS_FILES = {"docs/openapi/customers.json": False, "docs/openapi/customers-jwt.json": True}
COMPONENTS = "#/components/"
# Building the document calls no route, so the values of this configuration are never used.
NOWHERE = Config(
    table_name="none",
    private_function_name="none",
    maintenance_function_name="none",
    entry_token_secret="none",
    entry_token_secret_arn="",
    log_level="WARNING",
)
REQUEST = {
    "version": "2.0",
    "routeKey": "GET /docs",
    "rawPath": "/docs",
    "queryStringParameters": {"format": "json"},
    "requestContext": {"http": {"method": "GET", "path": "/docs"}, "stage": "$default"},
    "headers": {},
}


def document(*, knows_issuer: bool) -> dict[str, Any]:
    """Return the document of a stack with or without an issuer."""
    tokens = None if knows_issuer else EntryTokens("a" * 64)
    api = Api(Services.on(NOWHERE, None, None), tokens, Logger(level="WARNING"))
    with warnings.catch_warnings():
        # Powertools does not close the files that it reads for its page.
        warnings.simplefilter("ignore", ResourceWarning)
        answer = api.handle(REQUEST, None)
    found: dict[str, Any] = json.loads(answer["body"])
    return found


def text(*, knows_issuer: bool) -> str:
    """Return the content of the document's file, sorted so that a diff shows only real changes."""
    whole = _sorted(document(knows_issuer=knows_issuer))
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def customers_text(*, knows_issuer: bool) -> str:
    """Return the content of the file for the customer routes."""
    return lines_of(_sorted(customers_document(document(knows_issuer=knows_issuer))))


def lines_of(document: dict[str, Any]) -> str:
    """Return the text of a document, with one line for each operation and component."""
    return "".join(_lines(document, depth=2)) + "\n"


def customers_document(whole: dict[str, Any]) -> dict[str, Any]:
    """Return a document that contains only the customer routes and the components that they
    need.
    """
    paths = {
        path: operations
        for path, operations in whole["paths"].items()
        if not path.startswith(ADMIN_PATH)
    }
    ids = {
        operation["operationId"]
        for operations in paths.values()
        for operation in operations.values()
    }
    paths = {path: _linked_to(ids, operations) for path, operations in paths.items()}
    kept: set[str] = set()
    wanted = list(_references(paths))
    while wanted:
        reference = wanted.pop()
        if reference not in kept:
            kept.add(reference)
            kind, name = reference.removeprefix(COMPONENTS).split("/")
            wanted += _references(whole["components"][kind][name])
    components = {
        kind: {
            name: component
            for name, component in named.items()
            if f"{COMPONENTS}{kind}/{name}" in kept
        }
        for kind, named in whole["components"].items()
    }
    return {**whole, "paths": paths, "components": components}


def _linked_to(ids: set[str], value: Any) -> Any:
    """Return a part of a document without the links to operations that are not in `ids`."""
    if isinstance(value, list):
        return [_linked_to(ids, item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {name: _linked_to(ids, part) for name, part in value.items()}
    if links := found.pop("links", None):
        kept = {name: link for name, link in links.items() if link["operationId"] in ids}
        found |= {"links": kept} if kept else {}
    return found


def _references(value: Any, key: str = "") -> Iterator[str]:
    """Yield every component that a part of a document refers to, including security schemes."""
    if isinstance(value, str) and value.startswith(COMPONENTS):
        yield value
    elif key == "security":
        yield from (f"{COMPONENTS}securitySchemes/{name}" for schemes in value for name in schemes)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _references(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from _references(part)


def _lines(value: dict[str, Any], depth: int) -> Iterator[str]:
    """Yield the text of an object. Down to `depth` levels, each value has a line of its own."""
    indent = "\n" + " " * (3 - depth)
    yield "{"
    for number, (key, part) in enumerate(value.items()):
        yield f"{',' if number else ''}{indent}{json.dumps(key)}: "
        if depth and isinstance(part, dict):
            yield from _lines(part, depth - 1)
        else:
            yield json.dumps(part, ensure_ascii=False)
    yield f"{indent[:-1]}}}"


def _sorted(value: Any, name: str = "") -> Any:
    """Sort everything except the media types of a response, because generators use the first media
    type.
    """
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    if not isinstance(value, dict):
        return value
    keys = list(value) if name == "content" else sorted(value)
    return {key: _sorted(value[key], key) for key in keys}


def main() -> int:
    for name, knows_issuer in FILES.items():
        (ROOT / name).write_text(text(knows_issuer=knows_issuer), encoding="utf-8")
    for name, knows_issuer in CUSTOMERS_FILES.items():
        (ROOT / name).write_text(customers_text(knows_issuer=knows_issuer), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
