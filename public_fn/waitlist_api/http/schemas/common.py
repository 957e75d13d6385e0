"""Types shared by several request bodies, response bodies and problem details."""

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
from typing_extensions import TypeAliasType

from waitlist_api.http.errors import public_errors
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


def _document_codes(schema: dict[str, Any]) -> None:
    meanings = {
        code: " ".join((error.__doc__ or "").partition("\n\n")[0].split())
        for code, error in public_errors().items()
    }
    schema.update(
        extensible("The error code, which is stable across versions.", meanings),
        pattern="^[a-z_]+$",
    )


# The type has a name so that it becomes a component of the OpenAPI document.
ErrorCode = TypeAliasType("ErrorCode", Annotated[str, Field(json_schema_extra=_document_codes)])


class FieldProblem(Model):
    field: Annotated[str, documented(examples=["body.profile"])]
    message: str


def _require_nothing(schema: dict[str, Any]) -> None:
    del schema["required"]


class Problem(Model):
    """An error response, as problem details (RFC 9457).

    Clients should check `code`. If API Gateway refuses a request before it reaches the service, the
    body is `application/json` and contains only a `message`.
    """

    # The service's errors and API Gateway's errors share one schema, because generated clients
    # support only one schema per status.
    model_config = ConfigDict(json_schema_extra=_require_nothing)

    type: str
    title: str
    status: Annotated[int, documented(minimum=400, maximum=599)]
    code: ErrorCode
    detail: Annotated[str, Field(description="What happened, and what to do next.")]
    errors: Annotated[
        list[FieldProblem],
        Field(
            description="The invalid fields, at most 20. If there are more, `detail` says how "
            "many. If `code` is `settings_changed` or `waitlist_exists`, the list instead "
            "contains the settings whose stored value differs from the value in the request."
        ),
    ] = []
    opens_at: Annotated[
        Time | None,
        Field(
            description="If `code` is `not_open_yet`, the time when the waitlist opens, or null "
            "if the waitlist no longer has an opening time."
        ),
    ] = None
    message: Annotated[
        str | None,
        Field(
            description="API Gateway's own message. Present only if API Gateway refused the "
            "request."
        ),
    ] = None
