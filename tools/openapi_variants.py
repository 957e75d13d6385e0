"""Write the OpenAPI documents that are not committed. `make openapi` and `make api-pages` run this
program.

`jwt.json` describes a stack whose customers sign in with an issuer's tokens. `customers.json` and
`customers-jwt.json` contain only the routes for customers, so that apps can generate their clients
from them.

This module needs only Python's standard library, so a release can write the documents without
installing the service's libraries.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "openapi"
GUESTS = FOLDER / "guests.json"
PATCH = FOLDER / "issuer.patch.json"
OPERATOR_PATH = "/v1/admin/"
COMPONENTS = "#/components/"


def variants() -> dict[str, dict[str, Any]]:
    """Return the OpenAPI documents that are not committed, by file name."""
    guests = json.loads(GUESTS.read_text(encoding="utf-8"))
    accounts = with_patch(guests, json.loads(PATCH.read_text(encoding="utf-8")))
    return {
        "jwt.json": accounts,
        "customers.json": customers_document(guests),
        "customers-jwt.json": customers_document(accounts),
    }


def write(folder: Path) -> None:
    for name, document in variants().items():
        (folder / name).write_text(lines_of(document), encoding="utf-8")


def merge_patch(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Merge Patch (RFC 7396) that changes `before` into `after`."""
    patch: dict[str, Any] = dict.fromkeys(sorted(before.keys() - after.keys()))
    for name, part in after.items():
        old = before.get(name)
        if isinstance(part, dict) and isinstance(old, dict):
            if changes := merge_patch(old, part):
                patch[name] = changes
        elif part != old:
            patch[name] = part
    return patch


def with_patch(document: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Apply a JSON Merge Patch (RFC 7396). New parts come last."""
    changed = {name: part for name, part in document.items() if patch.get(name, part) is not None}
    for name, part in patch.items():
        if isinstance(part, dict):
            changed[name] = with_patch(document.get(name, {}), part)
        elif part is not None:
            changed[name] = part
    return changed


def customers_document(whole: dict[str, Any]) -> dict[str, Any]:
    paths = {
        path: operations
        for path, operations in whole["paths"].items()
        if not path.startswith(OPERATOR_PATH)
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
    """Keep only the links to operations whose ids are in `ids`."""
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
    """Yield the names of all components that a value refers to, including security schemes."""
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


def lines_of(document: dict[str, Any]) -> str:
    """Return a document as text, with one line for each operation and component."""
    return "".join(_lines(document, depth=2)) + "\n"


def _lines(value: dict[str, Any], depth: int) -> Iterator[str]:
    """Within the first `depth` levels of the object, each value has a line of its own."""
    indent = "\n" + " " * (3 - depth)
    yield "{"
    for number, (key, part) in enumerate(value.items()):
        yield f"{',' if number else ''}{indent}{json.dumps(key)}: "
        if depth and isinstance(part, dict):
            yield from _lines(part, depth - 1)
        else:
            yield json.dumps(part, ensure_ascii=False)
    yield f"{indent[:-1]}}}"


def main() -> int:
    write(FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
