"""What is known of people: a profile for operators to read, attributes for claims by filter."""

import json
import unicodedata
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, JsonValue, Tag

from waitlist_shared.limits import MAX_SEGMENT_ATTRIBUTES

MAX_PROFILE_BYTES = 8 * 1024
MAX_ATTRIBUTES = 16
MAX_VALUES = 16
NAME = r"[a-z][a-z0-9_]{0,31}"


def _composed(value: object) -> object:
    """Spell text in one way (NFC), so that two ways to type an é are one segment."""
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


def _one_or_several(value: object) -> str:
    return "values" if isinstance(value, list) else "value"


def _within_limit(profile: dict[str, JsonValue]) -> dict[str, JsonValue]:
    size = len(json.dumps(profile, ensure_ascii=False).encode())
    if size > MAX_PROFILE_BYTES:
        raise ValueError(f"a profile may have {MAX_PROFILE_BYTES} bytes as JSON, not {size}")
    return profile


AttributeName = Annotated[str, Field(pattern=f"^{NAME}$")]
# Without control characters: values stand in tables and on screens. Limits are those of the
# composed text.
AttributeValue = Annotated[
    str,
    Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]*$"),
    BeforeValidator(_composed),
]
AttributeValues = Annotated[list[AttributeValue], Field(min_length=1, max_length=MAX_VALUES)]
Profile = Annotated[dict[str, JsonValue], AfterValidator(_within_limit)]
_ONLY_THESE = {"additionalProperties": False}
Attributes = Annotated[
    dict[
        AttributeName,
        Annotated[
            Annotated[AttributeValue, Tag("value")] | Annotated[AttributeValues, Tag("values")],
            Discriminator(_one_or_several),
        ],
    ],
    Field(max_length=MAX_ATTRIBUTES, json_schema_extra=_ONLY_THESE),
]
Filter = Annotated[
    dict[AttributeName, AttributeValue],
    Field(min_length=1, max_length=MAX_SEGMENT_ATTRIBUTES, json_schema_extra=_ONLY_THESE),
]
