"""Which web pages may make a browser change entries (cross-site request forgery)."""

from collections.abc import Collection, Mapping
from typing import Any

from waitlist_api.errors import Forbidden

ANY_ORIGIN = "*"
CHANGING = ("POST", "PUT", "PATCH", "DELETE")
ADVICE = (
    "A page of another site sent this request. The operator of the service allows the origins of"
    " pages with the parameter CorsOrigins."
)


def check_origin(event: Mapping[str, Any], allowed: Collection[str]) -> None:
    """Raise Forbidden for a change that a browser sends for a page of another site.

    Browsers state the relation in `Sec-Fetch-Site`, which no script can set. Other clients send
    none.
    """
    headers = event.get("headers", {})
    is_change = event["requestContext"]["http"]["method"] in CHANGING
    if not is_change or headers.get("sec-fetch-site") != "cross-site" or ANY_ORIGIN in allowed:
        return
    if headers.get("origin") not in allowed:
        raise Forbidden(ADVICE)
