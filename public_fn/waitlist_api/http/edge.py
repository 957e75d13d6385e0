"""Whether a customer's request came through the edge, which alone has the key in a header."""

import hmac
from collections.abc import Collection, Mapping
from typing import Any

from waitlist_api.errors import EdgeOnly

HEADER = "waitlist-edge-key"
# A variable of the API's stage, by template.yaml.
EDGE_URL = "edge_url"


def edge_url_of(event: Mapping[str, Any]) -> str:
    """Return the URL of the edge, as API Gateway states it; empty without one."""
    return str((event.get("stageVariables") or {}).get(EDGE_URL, ""))


def check_edge(event: Mapping[str, Any], keys: Collection[str]) -> None:
    """Raise EdgeOnly unless the request has one of the keys; without keys all requests pass.

    A comparison takes as long wherever both differ, so its time shows no part of a key.
    """
    given = str(event.get("headers", {}).get(HEADER, "")).encode()
    if keys and not any(hmac.compare_digest(given, key.encode()) for key in keys):
        raise EdgeOnly(edge_url_of(event))


def without_key(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an event without the key, so that nothing behind this can log it."""
    headers = event.get("headers", {})
    if HEADER not in headers:
        return event
    return {**event, "headers": {name: headers[name] for name in headers if name != HEADER}}
