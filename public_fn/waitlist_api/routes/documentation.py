"""What routes say of themselves in the OpenAPI document."""

from typing import Any

from aws_lambda_powertools.event_handler.openapi.models import (
    APIKey,
    APIKeyIn,
    HTTPBase,
    HTTPBearer,
    SecurityScheme,
)

from waitlist_api.http_errors import PROBLEM_JSON, STATUS
from waitlist_api.schemas.basis import Problem

# `too_large` also where no body is asked for: one that is sent all the same is not read either.
ALWAYS = (
    "invalid_request",
    "too_large",
    "throttled",
    "internal_error",
    "not_ready",
    "queue_unavailable",
)

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
JWT: list[dict[str, list[str]]] = [{"jwt": []}]
SIGV4: list[dict[str, list[str]]] = [{"sigv4": []}]


def problems(*codes: str) -> dict[int, Any]:
    """Return the responses of a route that may answer with these codes, and with the usual."""
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys([*codes, *ALWAYS]):
        by_status.setdefault(STATUS[code], []).append(code)
    return {
        status: {
            "description": f"Problem: {', '.join(f'`{code}`' for code in listed)}",
            "content": {PROBLEM_JSON: {"model": Problem}},
        }
        for status, listed in sorted(by_status.items())
    }


def answers(status: int, description: str, *codes: str) -> dict[int, Any]:
    """Return the responses of a route: its success, then its problems."""
    return {status: {"description": description}, **problems(*codes)}
