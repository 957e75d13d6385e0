"""Entity tags in the headers of conditional requests (RFC 9110, section 13.1)."""

import re


def is_named(etag: str, header: str | None, *, weakly: bool = False) -> bool:
    """Return whether a conditional header matches an ETag.

    Pass `weakly=True` for the header `If-None-Match`. `If-Match` never matches weak ETags.
    """
    if header == "*":
        return True
    tags = re.findall(r'(W/)?("[^"]*")', header or "")
    if weakly:
        return etag.removeprefix("W/") in (opaque for _, opaque in tags)
    return ("", etag) in tags
