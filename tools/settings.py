"""Write `settings.json`, from which the command line and the console learn all settings.

`make openapi` runs this program. The file describes each setting by name, such as `capacity` or
`rest.max_days`.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from waitlist_api.http.schemas.settings import is_internal, shown
from waitlist_api.settings.declared import Setting, Settings
from waitlist_api.settings.texts import UtcText
from waitlist_api.settings.waitlist import WaitlistSettings

FILE = Path(__file__).resolve().parents[1] / "cli" / "waitlist_cli" / "settings.json"
FIRST_SENTENCE = re.compile(r".*?\.(?= |$)")
TYPES: dict[Any, str] = {bool: "boolean", int: "integer", str: "string", Literal: "choice"}


def text() -> str:
    """Return the text that `settings.json` must contain."""
    return json.dumps(dict(_described(WaitlistSettings)), indent=1, ensure_ascii=False) + "\n"


def _described(group: type[Settings], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for field in fields(group):
        if is_internal(field):
            continue
        name = f"{prefix}{field.encode_name}"
        hint, words = _unwrapped(field.type)
        if get_origin(hint) is Literal:
            words.setdefault("choices", {value: value for value in get_args(hint)})
        yield name, {"type": _type(hint), **words, **_default(field)}
        parts = [hint, *get_args(hint)]
        for part in parts:
            if isinstance(part, type) and issubclass(part, Settings):
                yield from _described(part, f"{name}.")


def _unwrapped(hint: Any) -> tuple[Any, dict[str, Any]]:
    """Strip annotations and None from a type. Return the type, and the description in the
    annotations.
    """
    words: dict[str, Any] = {}
    if get_origin(hint) is Annotated and hint != UtcText:
        hint, *settings = get_args(hint)
        for setting in settings:
            words |= _words(setting)
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else ()
    if NoneType in members and len(members) == 2:
        inner, more = _unwrapped(members[0])
        return inner, {**more, **words, "is_nullable": True}
    return hint, words


def _words(setting: Setting) -> dict[str, Any]:
    sentence = FIRST_SENTENCE.match(setting.about)
    words = {
        "label": setting.label,
        "help": sentence[0] if sentence else "",
        "null": setting.null,
        "choices": dict(setting.choices),
        "minimum": setting.ge,
        "max_answer": setting.max_answer,
    }
    return {name: value for name, value in words.items() if value not in ("", {}, None)}


def _type(hint: Any) -> str:
    if hint == UtcText:
        return "time"
    if isinstance(hint, type) and issubclass(hint, Settings):
        return "group"
    if get_origin(hint) is not tuple:
        return TYPES.get(get_origin(hint) or hint, "object")
    item, _ = _unwrapped(get_args(hint)[0])
    if get_origin(item) is tuple:
        return "lists"
    return {"integer": "integers", "string": "strings", "choice": "strings"}.get(
        _type(item), "object"
    )


def _default(field: FieldInfo) -> dict[str, Any]:
    if field.default is not msgspec.NODEFAULT:
        return {"default": shown(field.default)}
    if field.default_factory is not msgspec.NODEFAULT:
        return {"default": shown(field.default_factory())}
    return {}


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
