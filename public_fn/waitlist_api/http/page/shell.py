"""The HTML document of a list's page, and what it may load."""

import html
from string import Template

from waitlist_api.http.page.files import SHELL, files, version
from waitlist_api.settings.page import PageSettings

# `connect-src` is for the API's own routes, on the page's origin. No text can become a script or a
# style: neither inline, nor through the functions of the DOM that parse HTML.
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "img-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}


def document(waitlist_id: str, name: str) -> str:
    """Return the HTML; the page's script loads everything else from the API."""
    return Template(files()[SHELL].text).substitute(
        waitlist=html.escape(waitlist_id), name=html.escape(name), version=version()
    )


def content_security_policy(page: PageSettings | None) -> str:
    """Return the header's value: only the origin of the list's logo is added."""
    logo = page.logo_origin if page else None
    policy = POLICY if logo is None else {**POLICY, "img-src": f"'self' {logo}"}
    return "; ".join(f"{directive} {sources}" for directive, sources in policy.items())
