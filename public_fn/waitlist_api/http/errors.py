"""Converts errors to HTTP responses with problem details (RFC 9457)."""

import json
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response

from waitlist_api.errors import (
    MAX_DETAIL_BYTES,
    InvalidFields,
    MethodNotAllowed,
    OpensLater,
    SettingsChanged,
    TooManyChanges,
    UnsupportedMediaType,
    WaitlistExists,
    cut,
)
from waitlist_shared.errors import WaitlistError

PROBLEM_JSON = "application/problem+json"
# A response header with the error code of an HTML error page, for the request log.
CODE_HEADER = "Waitlist-Problem"

STATUS = {
    "invalid_json": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "banned": 403,
    "bot_check_failed": 403,
    "code_refused": 403,
    "edge_only": 403,
    "not_found": 404,
    "waitlist_not_found": 404,
    "entry_not_found": 404,
    "counts_hidden": 404,
    "method_not_allowed": 405,
    "already_on_list": 409,
    "already_admitted": 409,
    "already_left": 409,
    "not_open_yet": 409,
    "waitlist_closed": 409,
    "waitlist_full": 409,
    "waitlist_deleting": 409,
    "waitlist_paused": 409,
    "inside_full": 409,
    "claim_expired": 409,
    "claim_mismatch": 409,
    "ban_mismatch": 409,
    "no_former_place": 409,
    "not_parked": 409,
    "not_offered": 409,
    "offer_expired": 409,
    "not_inside": 409,
    "not_waiting": 409,
    "entry_not_ready": 409,
    "rest_not_allowed": 409,
    "confirm_off": 409,
    "rests_used_up": 409,
    "no_room": 409,
    "no_entry_tokens": 409,
    "no_webhook": 409,
    "no_messages": 409,
    "settings_changed": 412,
    "waitlist_exists": 412,
    "too_large": 413,
    "unsupported_media_type": 415,
    "invalid_request": 422,
    "idempotency_key_reused": 422,
    "throttled": 429,
    "too_many_changes": 429,
    "internal_error": 500,
    "not_ready": 503,
    "rebuilding": 503,
    "queue_unavailable": 503,
    "record_unavailable": 503,
    "keys_unavailable": 503,
    "bot_check_unavailable": 503,
}
# Error codes of the private function that clients could not act on, with the codes that clients get
# instead.
RENAMED = {
    "cold": "rebuilding",
    "stale_epoch": "rebuilding",
    "gone": "not_waiting",
    "not_held": "claim_mismatch",
    "expiring": "throttled",
    "segments_building": "rebuilding",
    "stale_segments": "rebuilding",
}
RETRY_AFTER_SECONDS = {
    "throttled": 1,
    # The default for errors without a more exact time.
    "too_many_changes": 300,
    "not_ready": 2,
    "rebuilding": 2,
    "queue_unavailable": 2,
    "record_unavailable": 2,
    "keys_unavailable": 2,
    "bot_check_unavailable": 2,
}


def meanings() -> dict[str, str]:
    """Return each public error code with the first line of its error's docstring."""
    # Sort the errors of the public function last. If a shared error has the same code, the later
    # error replaces it.
    errors = sorted(_errors(WaitlistError), key=lambda error: error.__module__, reverse=True)
    found = {error.code: (error.__doc__ or "").partition("\n")[0] for error in errors}
    return {code: found[code] for code in STATUS}


def _errors(base: type[WaitlistError]) -> list[type[WaitlistError]]:
    return [base, *(error for sub in base.__subclasses__() for error in _errors(sub))]


def code_of(error: WaitlistError) -> str:
    """Return the public code of an error."""
    return RENAMED.get(error.code, error.code)


def problem(error: WaitlistError) -> Response[str]:
    """Return the HTTP response for an error."""
    code = code_of(error)
    status = STATUS.get(code, 500)
    if status == 500:
        code = "internal_error"
    details: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": cut(error.message if status != 500 else WaitlistError.advice, MAX_DETAIL_BYTES),
    }
    if isinstance(error, InvalidFields | SettingsChanged | WaitlistExists):
        details["errors"] = [
            {"field": found.field, "message": found.message} for found in error.errors
        ]
    if isinstance(error, OpensLater):
        details["opens_at"] = error.opens_at
    headers: dict[str, str | list[str]] = {"Cache-Control": "no-store"}
    if code in RETRY_AFTER_SECONDS:
        headers["Retry-After"] = str(RETRY_AFTER_SECONDS[code])
    if isinstance(error, TooManyChanges):
        headers["Retry-After"] = str(error.retry_after_seconds)
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = error.allowed
    if isinstance(error, UnsupportedMediaType):
        headers["Accept"] = error.accepted
        if error.is_patch:
            headers["Accept-Patch"] = error.accepted
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Response(status, PROBLEM_JSON, json.dumps(details), headers)
