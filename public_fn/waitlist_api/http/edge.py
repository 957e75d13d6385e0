"""Checks that customers' requests come through the edge, which adds a secret key in a header."""

import hmac
from collections.abc import Collection, Mapping
from typing import Any

from waitlist_api.errors import EdgeOnly

HEADER = "waitlist-edge-key"
# A stage variable of the API, which template.yaml sets.
EDGE_URL = "edge_url"


def edge_url_of(event: Mapping[str, Any]) -> str:
    """Return the URL of the edge from the API's stage variables, or an empty string."""
    return str((event.get("stageVariables") or {}).get(EDGE_URL, ""))


def check_edge(event: Mapping[str, Any], keys: Collection[str]) -> None:
    """Raise EdgeOnly if the request does not contain one of the keys.

    If there are no keys, it passes.

    The comparison takes constant time, so its duration reveals nothing about a key.
    """
    given = str(event.get("headers", {}).get(HEADER, "")).encode()
    if keys and not any(hmac.compare_digest(given, key.encode()) for key in keys):
        raise EdgeOnly(edge_url_of(event))


def remove_key(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the event without the key, so that later code cannot log the key."""
    headers = event.get("headers", {})
    if HEADER not in headers:
        return event
    return {**event, "headers": {name: headers[name] for name in headers if name != HEADER}}
