"""What routes say of themselves in the OpenAPI document."""

from typing import Any

from aws_lambda_powertools.event_handler.openapi.models import (
    APIKey,
    APIKeyIn,
    HTTPBase,
    HTTPBearer,
    SecurityScheme,
)

from waitlist_api.http.errors import PROBLEM_JSON, RETRY_AFTER_SECONDS, STATUS
from waitlist_api.http.schemas.common import Problem

NO_CONTENT, UNAUTHORIZED = 204, 401

# `too_large` also where no body is asked for: one that is sent all the same is not read either.
ALWAYS = (
    "invalid_request",
    "too_large",
    "throttled",
    "internal_error",
    "not_ready",
    "queue_unavailable",
)
# What API Gateway also answers by itself, with a message of its own. A request that matches no
# route has no place in this document.
BY_THE_GATEWAY = frozenset({401, 403, 413, 429, 500, 503})
NO_STORE = {"Cache-Control": {"schema": {"type": "string", "const": "no-store"}}}
_RETRY_AFTER = {
    "Retry-After": {
        "description": "Seconds after which to ask again.",
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
    "entry_token": HTTPBase(scheme="bearer", description="The entry_token of the signup's answer."),
    "sigv4": _SIGV4,
}
SECURITY_SCHEMES_WITH_ISSUER: dict[str, SecurityScheme] = {
    "jwt": HTTPBearer(bearerFormat="JWT", description="A token of the service's OIDC issuer."),
    "sigv4": _SIGV4,
}
ENTRY_TOKEN: list[dict[str, list[str]]] = [{"entry_token": []}]
# A guest signs up without credentials, or repeats a signup with the token that it gave.
ENTRY_TOKEN_IF_ANY: list[dict[str, list[str]]] = [{}, *ENTRY_TOKEN]
JWT: list[dict[str, list[str]]] = [{"jwt": []}]
SIGV4: list[dict[str, list[str]]] = [{"sigv4": []}]


def problems(*codes: str) -> dict[int, Any]:
    """Return the responses of a route that may answer with these codes, and with the usual."""
    # An id with characters that no id has is of no route at all.
    by_path = ["not_found"] if "waitlist_not_found" in codes else []
    by_credentials = ["forbidden"] if "unauthorized" in codes else []
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys([*codes, *by_path, *by_credentials, *ALWAYS]):
        by_status.setdefault(STATUS[code], []).append(code)
    return {status: _problem(status, listed) for status, listed in sorted(by_status.items())}


def answers(
    status: int, description: str, *codes: str, links: dict[str, Any] | None = None
) -> dict[int, Any]:
    """Return the responses of a route: its success, then its problems.

    The links say which routes an answer gives the ids for.
    """
    return {status: success(status, description, links), **problems(*codes)}


def success(status: int, description: str, links: dict[str, Any] | None = None) -> Any:
    """Return one response of a route that is no problem."""
    response: dict[str, Any] = {"description": description}
    if status == NO_CONTENT:
        response["content"] = {}
    if links:
        response["links"] = links
    return response


def _problem(status: int, codes: list[str]) -> dict[str, Any]:
    content: dict[str, Any] = {PROBLEM_JSON: {"model": Problem}}
    if status in BY_THE_GATEWAY:
        content["application/json"] = {"model": Problem}
    headers: dict[str, Any] = {**NO_STORE}
    if set(codes) & set(RETRY_AFTER_SECONDS):
        headers |= _RETRY_AFTER
    if status == UNAUTHORIZED:
        headers |= _WWW_AUTHENTICATE
    return {
        "description": f"Problem: {', '.join(f'`{code}`' for code in codes)}",
        "content": content,
        "headers": headers,
    }
