"""Protects against cross-site request forgery: decides which web pages may change entries."""

from collections.abc import Collection, Mapping
from typing import Any

from waitlist_api.errors import Forbidden

ANY_ORIGIN = "*"
CHANGING = ("POST", "PUT", "PATCH", "DELETE")
ADVICE = (
    "A page of another site sent this request. The operator of the service can allow the page's"
    " origin with the stack's parameter CorsOrigins."
)


def check_origin(event: Mapping[str, Any], allowed: Collection[str]) -> None:
    """Raise Forbidden if a page of an unknown site makes a browser send a change.

    Browsers send the header `Sec-Fetch-Site`, which scripts cannot change. Other clients do not
    send this header.
    """
    headers = event.get("headers", {})
    is_change = event["requestContext"]["http"]["method"] in CHANGING
    if not is_change or headers.get("sec-fetch-site") != "cross-site" or ANY_ORIGIN in allowed:
        return
    if headers.get("origin") not in allowed:
        raise Forbidden(ADVICE)
