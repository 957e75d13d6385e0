"""What routes say of themselves in the OpenAPI document."""

from typing import Any

from aws_lambda_powertools.event_handler.openapi.models import (
    APIKey,
    APIKeyIn,
    HTTPBase,
    SecurityScheme,
)

from waitlist_api.http_errors import PROBLEM_JSON, STATUS
from waitlist_api.schemas.basis import Problem

ALWAYS = ("invalid_request", "throttled", "internal_error", "not_ready", "queue_unavailable")

SECURITY_SCHEMES: dict[str, SecurityScheme] = {
    "entry_token": HTTPBase(scheme="bearer", description="The entry_token of the signup's answer."),
    "sigv4": APIKey(
        name="Authorization",
        **{"in": APIKeyIn.header},  # type: ignore[arg-type]
        description="AWS Signature Version 4, service execute-api.",
    ),
}
ENTRY_TOKEN: list[dict[str, list[str]]] = [{"entry_token": []}]
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
