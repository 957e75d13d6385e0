"""Types that request bodies, responses and problem details share."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from typing_extensions import TypeAliasType

from waitlist_api.http.errors import meanings
from waitlist_shared import ids

PathWaitlistId = f"^{ids.WAITLIST_ID}$"
PathEntryId = f"^{ids.ENTRY_ID}$"
CURSOR = "^[A-Za-z0-9_-]{1,512}$"
ME = "me"
PathOwnEntryId = f"^({ME}|{ids.ENTRY_ID})$"


def looks(**schema: Any) -> Any:
    """Describe a response's field in the OpenAPI document, without validating it."""
    return Field(json_schema_extra=schema)


def extensible(purpose: str, values: dict[str, str]) -> dict[str, Any]:
    """Return the schema of a word whose list of values may grow.

    It is no `enum`: clients generated from one fail at the first value that is new to them.
    """
    listed = "\n".join(f"- `{value}`: {meaning}" for value, meaning in values.items())
    return {
        "description": f"{purpose} Expect new values: treat an unknown one by the HTTP status, or "
        f"show it as it is.\n\n{listed}",
        "x-extensible-enum": list(values),
    }


Time = Annotated[str, looks(format="date-time", examples=["2026-03-01T09:30:00.000Z"])]
TheWaitlistId = Annotated[str, looks(pattern=PathWaitlistId)]
TheEntryId = Annotated[str, looks(pattern=PathEntryId)]
TheCustomerId = Annotated[str, looks(pattern=f"^{ids.CUSTOMER_ID}$")]
TheCursor = Annotated[str, looks(pattern=CURSOR)]
Count = Annotated[int, looks(minimum=0)]
Reason = Annotated[str, Field(max_length=500, description="Kept in the history.")]


# Terminals obey C0 and C1, logs and tables break at line ends, and bidirectional controls show text
# in another order than it is stored.
WITHOUT_CONTROLS = r"^[^\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$"


def _without_controls(text: str) -> str:
    if not re.fullmatch(WITHOUT_CONTROLS, text):
        raise ValueError("must have no control, line separator or bidirectional characters")
    return text


# Text of one line, safe to show on terminals and screens.
ShownText = Annotated[
    str,
    AfterValidator(_without_controls),
    Field(json_schema_extra={"pattern": WITHOUT_CONTROLS}),
]


class Body(BaseModel):
    """A request body: exact types, no unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _document_codes(schema: dict[str, Any]) -> None:
    schema.update(extensible("The stable name of the error.", meanings()), pattern="^[a-z_]+$")


# A named type: it has a component of its own in the OpenAPI document.
ErrorCode = TypeAliasType("ErrorCode", Annotated[str, Field(json_schema_extra=_document_codes)])


class FieldProblem(BaseModel):
    field: Annotated[str, looks(examples=["body.profile"])]
    message: str


def _require_nothing(schema: dict[str, Any]) -> None:
    del schema["required"]


class Problem(BaseModel):
    """Problem details (RFC 9457). Decide by `code`.

    Where API Gateway refuses a request before the service sees it (throttling, credentials,
    outages), the body is `application/json` and has a `message` alone.
    """

    # One schema for both bodies: generated clients read whichever comes, under one status.
    model_config = ConfigDict(json_schema_extra=_require_nothing)

    type: str
    title: str
    status: Annotated[int, looks(minimum=400, maximum=599)]
    code: ErrorCode
    detail: Annotated[str, Field(description="What happened, and what to do next.")]
    errors: Annotated[
        list[FieldProblem],
        Field(
            description="The fields that are wrong, if any: at most 20; `detail` counts the others."
        ),
    ] = []
    message: Annotated[
        str | None, Field(description="API Gateway's own text, without any other field.")
    ] = None
