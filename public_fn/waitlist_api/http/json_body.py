"""Parses request bodies as strict JSON (RFC 8259), and limits the size and depth of a body."""

import json
import math
from typing import Any, NoReturn

from waitlist_api.errors import InvalidJson, TooLarge, cut
from waitlist_api.settings.waitlist import MAX_BODY_BYTES as MAX_BODY_BYTES

MAX_DEPTH = 32


def check_size(body: str, *, is_base64: bool, limit: int = MAX_BODY_BYTES) -> None:
    """Raise TooLarge if the body has more than `limit` bytes."""
    if is_base64:
        size = len(body) * 3 // 4 - body[-2:].count("=")
    else:
        size = len(body.encode(errors="surrogatepass"))
    if size > limit:
        raise TooLarge(f"The body may have at most {limit} bytes.")


def dumps(value: Any) -> str:
    r"""Serialize a response as JSON in UTF-8, without `\u` escapes."""
    # Do not escape non-ASCII letters. With escapes, Cyrillic text would be three times as long, and
    # a page of entries could exceed Lambda's response limit of 6 MB.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def loads(text: str) -> Any:
    """Parse a body, and check its depth and its text. Raise InvalidJson if the body is invalid."""
    value = parse(text)
    check(value)
    return value


def parse(text: str) -> Any:
    """Parse the JSON body of a request. Raise InvalidJson if the body is not valid JSON.

    The caller must check how deeply the body is nested, and whether its strings are valid Unicode.
    """
    try:
        value: Any = json.loads(
            text, object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse
        )
    except RecursionError:
        raise InvalidJson(_too_deep()) from None
    except json.JSONDecodeError as error:
        raise InvalidJson(f"Invalid JSON: {error}") from error
    except ValueError as error:
        raise InvalidJson("Invalid JSON: a number is invalid or out of range.") from error
    return value


def check(value: Any) -> int:
    """Return the size of the JSON value in bytes.

    Raise InvalidJson if the value is nested too deeply, or contains text that is not valid Unicode.
    """
    if _depth(value) > MAX_DEPTH:
        raise InvalidJson(_too_deep())
    try:
        return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    except UnicodeEncodeError:
        raise InvalidJson(
            "Invalid JSON: a string contains an unpaired surrogate, which is not valid Unicode "
            "text."
        ) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object from its fields. Raise InvalidJson if two fields have the same name."""
    value: dict[str, Any] = {}
    for name, member in pairs:
        if name in value:
            raise InvalidJson(
                f"Invalid JSON: an object contains the name {json.dumps(cut(name, 100))} twice."
            )
        value[name] = member
    return value


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise ValueError(f"the number {number[:20]} is too large")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _too_deep() -> str:
    return f"The body is nested more than {MAX_DEPTH} levels deep."


def _depth(value: Any) -> int:
    """Return the nesting depth of a value, up to MAX_DEPTH + 1."""
    depth, level = 0, [value]
    while level:
        depth += 1
        containers = [item for item in level if isinstance(item, dict | list)]
        level = [
            inner
            for item in containers
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if depth > MAX_DEPTH:
            break
    return depth
