"""Entity tags in the headers of conditional requests (RFC 9110, section 13.1)."""

import re


def is_named(etag: str, header: str | None, *, weakly: bool = False) -> bool:
    """Return whether the header contains this ETag or `*`.

    `If-None-Match` is compared with `weakly=True`. The strong comparison of `If-Match` never
    matches weak tags.
    """
    if header == "*":
        return True
    tags = re.findall(r'(W/)?("[^"]*")', header or "")
    if weakly:
        return etag.removeprefix("W/") in (opaque for _, opaque in tags)
    return ("", etag) in tags
