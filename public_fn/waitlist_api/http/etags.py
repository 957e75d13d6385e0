"""Entity tags in the headers of conditional requests (RFC 9110, section 13.1)."""

import re


def is_named(etag: str, header: str | None, *, weakly: bool = False) -> bool:
    """Return whether the ETag is one of the tags in the header of a conditional request.

    For the `If-None-Match` header, pass `weakly=True`: a weak ETag then matches a strong ETag with
    the same value. For `If-Match`, only strong ETags match.
    """
    if header == "*":
        return True
    tags = re.findall(r'(W/)?("[^"]*")', header or "")
    if weakly:
        return etag.removeprefix("W/") in (opaque for _, opaque in tags)
    return ("", etag) in tags
