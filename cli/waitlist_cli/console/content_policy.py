"""The Content-Security-Policy of the console's pages."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

HEADER = "Content-Security-Policy"
DIRECTIVES = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "frame-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}
# Matches an origin that can be inserted safely into a Content-Security-Policy.
ORIGIN = re.compile(r"https://[A-Za-z0-9.-]+(:[0-9]{1,5})?")


def content_policy(pictures: Iterable[str | None] = (), frame_ancestors: str = "'none'") -> str:
    """Return the policy of a page that may also load pictures from these URLs.

    An invalid URL is left out, so the browser does not load its picture.
    """
    origins = dict.fromkeys(filter(None, map(origin_of, pictures)))
    changed = {
        "img-src": " ".join((DIRECTIVES["img-src"], *origins)),
        "frame-ancestors": frame_ancestors,
    }
    return "; ".join(f"{name} {value}" for name, value in {**DIRECTIVES, **changed}.items())


def origin_of(url: str | None) -> str:
    """Return the origin of a picture's URL, or "" if the URL is not valid."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return ""
    origin = f"{parts.scheme}://{parts.netloc}"
    return origin if ORIGIN.fullmatch(origin) else ""
