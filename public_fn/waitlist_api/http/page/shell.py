"""The HTML document of a waitlist's customer page, and its Content-Security-Policy."""

import html
from collections.abc import Iterator
from string import Template

from waitlist_api.bots.providers import Provider
from waitlist_api.http.page.files import SHELL, files, version
from waitlist_api.settings.page import PageSettings

# The Content-Security-Policy allows requests to the API, which has the same origin as the page. It
# forbids inline scripts and styles, so text can never run as a script.
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
OF_TYPES = ("require-trusted-types-for", "trusted-types")


MAX_DESCRIPTION = 200


def document(
    waitlist_id: str,
    name: str,
    page: PageSettings | None = None,
    shell: str = SHELL,
    *,
    has_accounts: bool = False,
) -> str:
    """Return the HTML document of the page.

    The page's script loads all data from the API. If `has_accounts` is true, the document tells the
    script that customers cannot join on this page.
    """
    return Template(files()[shell].text).substitute(
        waitlist=html.escape(waitlist_id),
        name=html.escape(name),
        preview="\n".join(_preview(name, page or PageSettings())),
        version=version(),
        account=" account" if has_accounts else "",
    )


def _preview(name: str, page: PageSettings) -> Iterator[str]:
    """Yield the meta tags for search engines and link previews (Open Graph)."""
    if not page.index:
        yield '<meta name="robots" content="noindex">'
    if not name:
        return
    about = " ".join(page.text.split())
    if len(about) > MAX_DESCRIPTION:
        about = f"{about[: MAX_DESCRIPTION - 1]}…"
    if about and page.index:
        yield f'<meta name="description" content="{html.escape(about)}">'
    tags = {"type": "website", "title": name, "description": about}
    for key, value in {**tags, "image": page.image_url or page.logo_url}.items():
        if value:
            yield f'<meta property="og:{key}" content="{html.escape(value)}">'


def content_security_policy(page: PageSettings | None, widget: Provider | None = None) -> str:
    """Return the Content-Security-Policy header of a page.

    The policy also allows the waitlist's pictures and the bot-check widget.
    """
    origins = page.image_origins if page else ()
    policy = {**POLICY, "img-src": " ".join((POLICY["img-src"], *origins))}
    if widget is not None:
        # The scripts of the bot-check providers do not support trusted types.
        policy = {name: sources for name, sources in policy.items() if name not in OF_TYPES}
        added = {name: f"{policy.get(name, '')} {widget.sources}" for name in widget.directives}
        policy |= {name: sources.strip() for name, sources in added.items()}
    return "; ".join(f"{directive} {sources}" for directive, sources in policy.items())
