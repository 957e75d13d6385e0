"""Error responses, as problem details (RFC 9457)."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field
from typing_extensions import TypeAliasType

from waitlist_api.http.errors import public_errors
from waitlist_api.http.schemas.common import Model, Time, documented, extensible


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
            default=[],
            description="The invalid fields, at most 20. If there are more, `detail` says how "
            "many. If `code` is `settings_changed` or `waitlist_exists`, the list instead "
            "contains the settings whose stored value differs from the value in the request.",
        ),
    ]
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
