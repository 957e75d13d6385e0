"""What the customers' routes say of themselves, whatever customers prove themselves by."""

from typing import Any

from waitlist_api.http.openapi import links
from waitlist_api.http.openapi.responses import answers, success
from waitlist_shared.limits import MAX_COMBINATIONS


def with_cache_control(responses: dict[int, Any]) -> dict[int, Any]:
    """Return responses of which the success says how long it may be kept."""
    header = {
        "description": "`private, max-age=N`, N being `poll_after_seconds`, or 0 where that is "
        "null.",
        "schema": {"type": "string", "pattern": "^private, max-age=[0-9]+$"},
    }
    return {**responses, 200: {**responses[200], "headers": {"Cache-Control": header}}}


OWN = ("unauthorized", "forbidden", "waitlist_not_found", "entry_not_found")
LOOK: dict[str, Any] = {
    "summary": "Where a customer stands, and within which segments",
    "description": "With `segment` also the place within each segment that the entry's values of "
    "those attributes make, in the same moment. Attributes that are no declared segment are "
    "refused by naming those that are; while segments are built, it is `503 rebuilding`.",
    "tags": ["customer"],
    "operation_id": "getEntry",
    "responses": with_cache_control(
        answers(200, "The entry, true at this moment", *OWN, "rebuilding", "record_unavailable")
    ),
}
LEAVE: dict[str, Any] = {
    "summary": "Leave the line",
    "description": "Answers the same when it is repeated.",
    "tags": ["customer"],
    "operation_id": "leave",
    "responses": answers(
        204, "The customer has left", *OWN, "already_admitted", "rebuilding", "record_unavailable"
    ),
}


def sign_up(description: str, *codes: str) -> dict[str, Any]:
    """Return what a signup says of itself, which may also be refused with these codes."""
    answered = answers(
        200,
        "The place that an earlier request of the same client took",
        *codes,
        "invalid_json",
        "waitlist_not_found",
        "already_on_list",
        "idempotency_key_reused",
        "already_left",
        "already_admitted",
        "waitlist_closed",
        "waitlist_full",
        "not_waiting",
        "unsupported_media_type",
        "rebuilding",
        "record_unavailable",
        links=links.OF_A_SIGNUP,
    )
    return {
        "summary": "Sign a customer up",
        "description": f"{description} Attributes that would put somebody in more than "
        f"{MAX_COMBINATIONS} segments are refused.",
        "tags": ["customer"],
        "operation_id": "signUp",
        "responses": {201: success(201, "The customer has a place", links.OF_A_SIGNUP), **answered},
    }
