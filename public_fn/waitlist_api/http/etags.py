"""Entity tags in the headers of conditional requests (RFC 9110, section 13.1)."""

import re


def is_named(etag: str, header: str | None, *, weakly: bool = False) -> bool:
    """Return whether the header names this ETag or is `*`.

    Use `weakly=True` for `If-None-Match`. The strong comparison for `If-Match` never matches weak
    tags.
    """
    if header == "*":
        return True
    tags = re.findall(r'(W/)?("[^"]*")', header or "")
    if weakly:
        return etag.removeprefix("W/") in (opaque for _, opaque in tags)
    return ("", etag) in tags
