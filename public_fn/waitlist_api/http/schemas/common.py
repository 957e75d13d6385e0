"""Types shared by several request bodies and response bodies."""

import re
from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
)
from pydantic_core import CoreSchema

from waitlist_api.settings.texts import TIME, UNSAFE, WITHOUT_CONTROLS, parse_utc
from waitlist_shared import ids

PathWaitlistId = f"^{ids.WAITLIST_ID}$"
PathEntryId = f"^{ids.ENTRY_ID}$"
CURSOR = "^[A-Za-z0-9_-]{1,512}$"
ME = "me"
PathOwnEntryId = f"^({ME}|{ids.ENTRY_ID})$"


def documented(**schema: Any) -> Any:
    """Return a type annotation that adds this JSON schema to the OpenAPI document.

    The schema is only documentation. Pydantic does not validate values against it.
    """
    return Field(json_schema_extra=schema)


class AsAnyOf:
    """Document a choice between types as `anyOf` instead of `oneOf`.

    Generated Go clients would need a third-party library to validate `oneOf`.
    """

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        schema = handler(core)
        return {"anyOf" if key == "oneOf" else key: value for key, value in schema.items()}


def extensible(purpose: str, values: dict[str, str]) -> dict[str, Any]:
    """Return the schema of a string for which later versions of the API may add new values."""
    # The schema has no `enum`, because generated clients fail on values that an enum does not list.
    listed = "\n".join(f"- `{value}`: {meaning}" for value, meaning in values.items())
    return {
        "description": f"{purpose} New values may be added. A client that does not know a value "
        f"should fall back on the HTTP status, or show the value unchanged.\n\n{listed}",
        "x-extensible-enum": list(values),
    }


Time = Annotated[str, documented(format="date-time", examples=["2026-03-01T09:30:00.000Z"])]
TheWaitlistId = Annotated[str, documented(pattern=PathWaitlistId)]
TheEntryId = Annotated[str, documented(pattern=PathEntryId)]
TheCustomerId = Annotated[str, documented(pattern=f"^{ids.CUSTOMER_ID}$")]
TheCursor = Annotated[str, documented(pattern=CURSOR)]
Count = Annotated[int, documented(minimum=0)]
# Without a format, client generators use 32-bit integers, which are too small for ranks of up to
# about 9 * 10**15.
Rank = Annotated[int, documented(format="int64")]


UtcTime = Annotated[
    datetime,
    BeforeValidator(parse_utc, json_schema_input_type=Annotated[str, Field(pattern=f"^{TIME}$")]),
]


def _without_controls(text: str) -> str:
    if not re.fullmatch(WITHOUT_CONTROLS, text):
        raise ValueError(UNSAFE)
    return text


# A single line of text that is safe to display on terminals and screens.
ShownText = Annotated[
    str,
    AfterValidator(_without_controls),
    Field(json_schema_extra={"pattern": WITHOUT_CONTROLS}),
]
Reason = Annotated[
    ShownText,
    Field(max_length=500, description="The reason, which is stored in the entry's history."),
]


class Model(BaseModel):
    """A part of a request or response body."""

    # Build each validator on first use, because a request uses only a few of the models.
    model_config = ConfigDict(defer_build=True)


class Body(Model):
    """A request body.

    Pydantic does not convert values to other types, and rejects unknown fields.
    """

    model_config = ConfigDict(extra="forbid", strict=True)
