"""Responses and security schemes for the OpenAPI document."""

from typing import Any

from aws_lambda_powertools.event_handler.openapi.models import (
    APIKey,
    APIKeyIn,
    HTTPBase,
    HTTPBearer,
    SecurityScheme,
)

from waitlist_api.http.errors import PROBLEM_JSON, public_errors
from waitlist_api.http.schemas.common import Problem

Security = list[dict[str, list[str]]]
NO_CONTENT, UNAUTHORIZED, FORBIDDEN = 204, 401, 403

ERRORS = public_errors()
# Every operation can return these errors. This includes `too_large`, because a client may send a
# body even if the operation needs none.
ALWAYS = (
    "invalid_request",
    "too_large",
    "throttled",
    "internal_error",
    "not_ready",
    "queue_unavailable",
)
# API Gateway can also return these HTTP statuses itself, with its own response body.
BY_THE_GATEWAY = frozenset({401, 403, 413, 429, 500, 503})
NO_STORE = {"Cache-Control": {"schema": {"type": "string", "const": "no-store"}}}
_RETRY_AFTER = {
    "Retry-After": {
        "description": "The number of seconds to wait before repeating the request.",
        "schema": {"type": "integer", "minimum": 1},
    }
}
_WWW_AUTHENTICATE = {
    "WWW-Authenticate": {"schema": {"type": "string", "pattern": "^Bearer( |$)"}},
}

_SIGV4 = APIKey(
    name="Authorization",
    **{"in": APIKeyIn.header},  # type: ignore[arg-type]
    description="AWS Signature Version 4, service execute-api.",
)
SECURITY_SCHEMES: dict[str, SecurityScheme] = {
    "entry_token": HTTPBase(
        scheme="bearer", description="The `entry_token` that the signup returned."
    ),
    "sigv4": _SIGV4,
}
SECURITY_SCHEMES_WITH_ISSUER: dict[str, SecurityScheme] = {
    "jwt": HTTPBearer(bearerFormat="JWT", description="A token of the configured OIDC issuer."),
    "sigv4": _SIGV4,
}
ENTRY_TOKEN: Security = [{"entry_token": []}]
# A new guest signs up without credentials. To repeat a signup, send the entry token from the first
# signup.
ENTRY_TOKEN_IF_ANY: Security = [{}, *ENTRY_TOKEN]
JWT: Security = [{"jwt": []}]
SIGV4: Security = [{"sigv4": []}]


def problems(*codes: str) -> dict[int, Any]:
    """Return the OpenAPI error responses for these codes, grouped by HTTP status."""
    # An id that contains invalid characters matches no route, so the API returns `not_found`.
    by_path = ["not_found"] if "waitlist_not_found" in codes else []
    by_credentials = ["forbidden"] if "unauthorized" in codes else []
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys([*codes, *by_path, *by_credentials, *ALWAYS]):
        by_status.setdefault(ERRORS[code].status, []).append(code)
    return {status: _problem(status, listed) for status, listed in sorted(by_status.items())}


def answers(
    status: int, description: str, *codes: str, links: dict[str, Any] | None = None
) -> dict[int, Any]:
    """Return the OpenAPI responses of an operation: the successful response and the errors."""
    return {status: success(status, description, links), **problems(*codes)}


def success(status: int, description: str, links: dict[str, Any] | None = None) -> Any:
    """Return the OpenAPI description of one successful response."""
    response: dict[str, Any] = {"description": description}
    if status == NO_CONTENT:
        response["content"] = {}
    if links:
        response["links"] = links
    return response


def _problem(status: int, codes: list[str]) -> dict[str, Any]:
    content: dict[str, Any] = {PROBLEM_JSON: {"model": Problem}}
    # The gateway itself returns 403 only for operations that need credentials.
    if status in BY_THE_GATEWAY and (status != FORBIDDEN or "forbidden" in codes):
        content["application/json"] = {"model": Problem}
    headers: dict[str, Any] = {**NO_STORE}
    if any(ERRORS[code].retry_after_seconds for code in codes):
        headers |= _RETRY_AFTER
    if status == UNAUTHORIZED:
        headers |= _WWW_AUTHENTICATE
    return {
        "description": f"Problem: {', '.join(f'`{code}`' for code in codes)}",
        "content": content,
        "headers": headers,
    }
