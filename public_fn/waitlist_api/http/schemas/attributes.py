"""A person's profile and attributes. Operators read the profile, and claims can filter by the
attributes.
"""

import json
import unicodedata
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    JsonValue,
    Tag,
    ValidationInfo,
)
from pydantic_core import PydanticCustomError

from waitlist_api.http.schemas.common import AsAnyOf, ShownText
from waitlist_api.settings.texts import ATTRIBUTE
from waitlist_shared.limits import MAX_FILTERS, MAX_SEGMENT_ATTRIBUTES

MAX_PROFILE_BYTES = 8 * 1024
MAX_ATTRIBUTES = 16
MAX_VALUES = 16
# Pydantic uses these tags to tell whether an attribute has one value or several. The parentheses
# make error responses leave the tags out.
ONE, SEVERAL = "(one)", "(several)"


def _composed(value: object) -> object:
    """Normalize text to Unicode NFC, so that both encodings of é belong to the same segment."""
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


def _one_or_several(value: object) -> str:
    return SEVERAL if isinstance(value, list) else ONE


def _not_too_many(attributes: object) -> object:
    """Raise ValueError if there are too many attributes.

    Without this check, pydantic would first validate all their values.
    """
    if isinstance(attributes, dict) and len(attributes) > MAX_ATTRIBUTES:
        raise PydanticCustomError(
            "too_long", f"must have at most {MAX_ATTRIBUTES} attributes, not {len(attributes)}"
        )
    return attributes


def _within_limit(profile: dict[str, JsonValue]) -> dict[str, JsonValue]:
    size = len(json.dumps(profile, ensure_ascii=False).encode())
    if size > MAX_PROFILE_BYTES:
        raise ValueError(f"must have at most {MAX_PROFILE_BYTES} bytes as JSON, not {size}")
    return profile


def _document_names(schema: dict[str, Any]) -> None:
    """Describe the allowed attribute names with `propertyNames`.

    Pydantic uses `patternProperties` for this, which most client generators ignore.
    """
    ((pattern, value),) = schema.pop("patternProperties").items()
    schema.update(propertyNames={"pattern": pattern}, additionalProperties=value)


AttributeName = Annotated[str, Field(pattern=f"^{ATTRIBUTE}$")]
# The length limits apply to the text after normalization.
AttributeValue = Annotated[
    ShownText,
    Field(min_length=1, max_length=64),
    BeforeValidator(_composed),
]
# Report only the first invalid value, because an import may contain thousands of invalid values.
AttributeValues = Annotated[
    list[AttributeValue], Field(min_length=1, max_length=MAX_VALUES, fail_fast=True)
]
Profile = Annotated[dict[str, JsonValue], AfterValidator(_within_limit)]
Attributes = Annotated[
    dict[
        AttributeName,
        Annotated[
            Annotated[AttributeValue, Tag(ONE)] | Annotated[AttributeValues, Tag(SEVERAL)],
            Discriminator(_one_or_several),
            AsAnyOf(),
        ],
    ],
    Field(max_length=MAX_ATTRIBUTES, json_schema_extra=_document_names),
    BeforeValidator(_not_too_many),
]
Filter = Annotated[
    dict[AttributeName, AttributeValue],
    Field(min_length=1, max_length=MAX_SEGMENT_ATTRIBUTES, json_schema_extra=_document_names),
]
Filters = Annotated[
    list[
        Annotated[
            dict[AttributeName, AttributeValue],
            Field(max_length=MAX_SEGMENT_ATTRIBUTES, json_schema_extra=_document_names),
        ]
    ],
    Field(
        min_length=1,
        max_length=MAX_FILTERS,
        description="Several filters in order of preference, instead of `filter`. When no more "
        "ready entries match the first filter, the service moves on to the next. An empty object "
        "matches every entry.",
        examples=[[{"language": "Spanish", "gender": "F"}, {"language": "Spanish"}, {}]],
    ),
]
FilterIndex = Annotated[
    int | None,
    Field(
        description="The zero-based index of the item in `filters` that the entry matched. Null "
        "if the request had no `filters`."
    ),
]


def without_filter(filters: Any, info: ValidationInfo) -> Any:
    """Raise ValueError if the request has both `filter` and `filters`."""
    if filters is not None and info.data.get("filter") is not None:
        raise ValueError("must not be sent together with filter")
    return filters
