"""Documents the responses and the security of each operation."""

from inspect import signature
from typing import Any

from aws_lambda_powertools.event_handler.openapi.models import (
    APIKey,
    APIKeyIn,
    HTTPBase,
    HTTPBearer,
    SecurityScheme,
)

from waitlist_api.http.errors import PROBLEM_JSON, public_errors
from waitlist_api.http.openapi import links
from waitlist_api.http.operation import WITH_BODY, Answer, Operation
from waitlist_api.http.routes.waitlists import BOARD_CACHE
from waitlist_api.http.routing import Route

Security = list[dict[str, list[str]]]
NO_CONTENT, UNAUTHORIZED, FORBIDDEN = 204, 401, 403

# The errors that every operation can return. `too_large` is one of them, because a client can send
# a large body even to an operation that needs none.
ALWAYS = (
    "invalid_request",
    "too_large",
    "throttled",
    "internal_error",
    "not_ready",
    "queue_unavailable",
)
# The HTTP statuses that API Gateway can also return itself, with a response body of its own.
BY_THE_GATEWAY = frozenset({401, 403, 413, 429, 500, 503})
PROBLEM_SCHEMA = {"schema": {"$ref": "#/components/schemas/Problem"}}
NO_STORE = {"Cache-Control": {"schema": {"type": "string", "const": "no-store"}}}
HEADERS = {
    "no_store": NO_STORE,
    "public_cache": {
        "Cache-Control": {"schema": {"type": "string", "pattern": "^public, max-age=[0-9]+$"}}
    },
    "board_cache": {
        "Cache-Control": {
            "description": "A cache may serve an old board while it fetches a new one. The "
            "`as_of` field contains the board's time.",
            "schema": {"type": "string", "const": BOARD_CACHE},
        }
    },
    "etag": {
        "ETag": {
            "description": "The version of the settings. Send it in `If-Match` with a later "
            "change.",
            "schema": {"type": "string", "pattern": '^"[0-9]+"$'},
        }
    },
    "location": {
        "Location": {
            "description": "The URL of the entry, relative to the URL of the request.",
            "schema": {"type": "string", "format": "uri-reference"},
        }
    },
}
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
    description="AWS Signature Version 4 for the `execute-api` service.",
)
SECURITY_SCHEMES: dict[str, SecurityScheme] = {
    "entry_token": HTTPBase(
        scheme="bearer", description="The `entry_token` that the signup returned."
    ),
    "sigv4": _SIGV4,
}
SECURITY_SCHEMES_WITH_ISSUER: dict[str, SecurityScheme] = {
    "jwt": HTTPBearer(bearerFormat="JWT", description="A token from the configured OIDC issuer."),
    "sigv4": _SIGV4,
}
ENTRY_TOKEN: Security = [{"entry_token": []}]
# A new guest signs up without credentials. To repeat a signup, send the entry token from the first
# signup.
ENTRY_TOKEN_IF_ANY: Security = [{}, *ENTRY_TOKEN]
JWT: Security = [{"jwt": []}]
SIGV4: Security = [{"sigv4": []}]


def document_route(route: Route, *, has_accounts: bool) -> dict[str, Any]:
    """Return the documentation of a route as keyword arguments for Powertools."""
    operation, handler = route.operation, getattr(route.routes, route.name)
    return {
        "summary": operation.summary,
        "description": " ".join(handler.__doc__.split()) if handler.__doc__ else None,
        "tags": [operation.audience],
        "security": _security(operation, has_accounts=has_accounts),
        "responses": {
            answer.status: _success(answer, route)
            for answer in operation.answers
            if not (has_accounts and answer.is_only_for_guests)
        }
        | _problems(route, has_body="body" in signature(handler).parameters),
    }


def _security(operation: Operation, *, has_accounts: bool) -> Security | None:
    match operation.audience:
        case "operator":
            return SIGV4
        case "customer" if has_accounts:
            return JWT
        case "customer":
            return ENTRY_TOKEN if operation.needs_credentials else ENTRY_TOKEN_IF_ANY
        case "anyone":
            return None


def _problems(route: Route, *, has_body: bool) -> dict[int, Any]:
    """Return the OpenAPI error responses of an operation, grouped by HTTP status."""
    operation, errors = route.operation, public_errors()
    codes = [*operation.problems]
    if "{waitlist_id}" in route.key:
        # If an id contains invalid characters, the path matches no route, so the API returns
        # `not_found`.
        codes += ["waitlist_not_found", "record_unavailable", "not_found"]
    if has_body:
        codes += ["invalid_json"]
    if operation.media_types and route.key.startswith(WITH_BODY):
        # Even if the operation needs no body, clients can send one.
        codes += ["unsupported_media_type"]
    if operation.needs_credentials:
        codes += ["unauthorized", "forbidden"]
    if operation.audience != "operator":
        # With the stack's `EdgeOnly` parameter, customer requests that do not come through
        # CloudFront are refused.
        codes += ["edge_only"]
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys([*codes, *ALWAYS]):
        by_status.setdefault(errors[code].status, []).append(code)
    return {status: _problem(status, listed) for status, listed in sorted(by_status.items())}


def _success(answer: Answer, route: Route) -> Any:
    """Return the OpenAPI description of one successful response."""
    response: dict[str, Any] = {"description": answer.description}
    if answer.status == NO_CONTENT:
        response["content"] = {}
    if answer.model is not None:
        response["content"] = {"application/json": {"model": answer.model}}
    if answer.headers:
        response["headers"] = HEADERS[answer.headers]
    if answer.links == "next_page":
        response["links"] = links.next_page(route.operation_id, route.key)
    elif answer.links:
        response["links"] = links.LINKS[answer.links]
    return response


def _problem(status: int, codes: list[str]) -> dict[str, Any]:
    content = {PROBLEM_JSON: PROBLEM_SCHEMA}
    # API Gateway itself returns 403 only for operations that need credentials.
    if status in BY_THE_GATEWAY and (status != FORBIDDEN or "forbidden" in codes):
        content["application/json"] = PROBLEM_SCHEMA
    headers: dict[str, Any] = {**NO_STORE}
    errors = public_errors()
    if any(errors[code].retry_after_seconds for code in codes):
        headers |= _RETRY_AFTER
    if status == UNAUTHORIZED:
        headers |= _WWW_AUTHENTICATE
    return {
        "description": f"Problem: {', '.join(f'`{code}`' for code in codes)}",
        "content": content,
        "headers": headers,
    }
