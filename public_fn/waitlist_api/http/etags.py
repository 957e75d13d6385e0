"""Entity tags in the headers of conditional requests (RFC 9110, section 13.1)."""

import re


def is_named(etag: str, header: str | None, *, weakly: bool = False) -> bool:
    """Return whether a conditional header matches an ETag. The value `*` matches every ETag.

    Pass `weakly=True` for `If-None-Match`, which uses the weak comparison. `If-Match` uses the
    strong comparison, which never matches weak ETags.
    """
    if header == "*":
        return True
    tags = re.findall(r'(W/)?("[^"]*")', header or "")
    if weakly:
        return etag.removeprefix("W/") in (opaque for _, opaque in tags)
    return ("", etag) in tags
