"""Checks that customer requests come through CloudFront, which adds a header with a secret key."""

import hmac
from collections.abc import Collection, Mapping
from typing import Any

from waitlist_api.errors import EdgeOnly

HEADER = "waitlist-edge-key"
# The name of the API Gateway stage variable that contains the CloudFront URL, which template.yaml
# sets.
EDGE_URL = "edge_url"


def edge_url_of(event: Mapping[str, Any]) -> str:
    """Return the URL of CloudFront, or an empty string if the stack does not use CloudFront."""
    return str((event.get("stageVariables") or {}).get(EDGE_URL, ""))


def check_edge(event: Mapping[str, Any], keys: Collection[str]) -> None:
    """Raise EdgeOnly unless the request's header contains one of the `keys`.

    If `keys` is empty, every request is allowed.
    """
    # The comparison takes constant time, so its duration reveals nothing about a key.
    given = str(event.get("headers", {}).get(HEADER, "")).encode()
    if keys and not any(hmac.compare_digest(given, key.encode()) for key in keys):
        raise EdgeOnly(edge_url_of(event))


def remove_key(event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the event without the edge key, so that no log line can contain the key."""
    headers = event.get("headers", {})
    if HEADER not in headers:
        return event
    return {**event, "headers": {name: headers[name] for name in headers if name != HEADER}}
