"""Converts errors to HTTP responses with problem details (RFC 9457)."""

import json
from collections.abc import Iterator
from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from waitlist_api.errors import MAX_DETAIL_BYTES, cut
from waitlist_shared.errors import InternalError, WaitlistError

PROBLEM_JSON = "application/problem+json"
# The response header that contains the error code. The request log reads the code from this header
# and not from the body, because the body can be an HTML page, compressed, or empty (HEAD requests).
CODE_HEADER = "Waitlist-Problem"


def public_errors() -> dict[str, type[WaitlistError]]:
    """Return the error class of each code that clients can get, sorted by status and code.

    An error is missing from the result if the module that defines it has not been imported.
    """
    errors = [error for error in _subclasses(WaitlistError) if error.shown_as is None]
    # Several error classes can have the same code. The API documentation describes only the last of
    # them.
    found = {error.code: error for error in errors if error.status != InternalError.status}
    found[InternalError.code] = InternalError
    return dict(sorted(found.items(), key=lambda item: (item[1].status, item[0])))


def _subclasses(base: type[WaitlistError]) -> Iterator[type[WaitlistError]]:
    for error in base.__subclasses__():
        yield error
        yield from _subclasses(error)


def code_of(error: WaitlistError) -> str:
    """Return the public code of an error."""
    return _shown(error).code


def problem(error: WaitlistError) -> Response[str]:
    """Return the HTTP response for an error."""
    shown = _shown(error)
    details = {
        "type": "about:blank",
        "title": HTTPStatus(shown.status).phrase,
        "status": shown.status,
        "code": shown.code,
        # The message of an internal error may contain details that clients must not see.
        "detail": cut(
            InternalError.advice if shown is InternalError else error.message, MAX_DETAIL_BYTES
        ),
        **error.fields,
    }
    headers: dict[str, str | list[str]] = {
        "Cache-Control": "no-store",
        CODE_HEADER: shown.code,
        **error.headers,
    }
    if shown.retry_after_seconds is not None:
        headers["Retry-After"] = str(shown.retry_after_seconds)
    return Response(shown.status, PROBLEM_JSON, json.dumps(details), headers)


def _shown(error: WaitlistError) -> WaitlistError | type[WaitlistError]:
    """Return the error to show to clients. Some internal errors are shown as a more general one."""
    shown = error.shown_as or error
    return InternalError if shown.status == InternalError.status else shown
