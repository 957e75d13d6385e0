"""Protects against cross-site request forgery."""

from collections.abc import Collection, Mapping
from typing import Any

from waitlist_api.errors import Forbidden

ANY_ORIGIN = "*"
CHANGING = ("POST", "PUT", "PATCH", "DELETE")
ADVICE = (
    "A page on another site sent this request. An operator can allow the page's origin with the "
    "stack's `CorsOrigins` parameter."
)


def check_origin(event: Mapping[str, Any], allowed: Collection[str]) -> None:
    """Raise Forbidden if a page on an unknown site has made the browser send a request that
    changes something.
    """
    # Browsers set the `Sec-Fetch-Site` header, which scripts cannot change. Other clients omit it.
    headers = event.get("headers", {})
    is_change = event["requestContext"]["http"]["method"] in CHANGING
    if not is_change or headers.get("sec-fetch-site") != "cross-site" or ANY_ORIGIN in allowed:
        return
    if headers.get("origin") not in allowed:
        raise Forbidden(ADVICE)
