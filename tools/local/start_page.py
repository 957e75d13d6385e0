"""The page at / of the local service.

It lists the waitlists, links to the documents, and shows useful commands.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from tools.local.http_message import HttpResponse
from tools.local.settings import DEFAULT_PORT

STYLE = (
    ":root{color-scheme:light dark;background:Canvas;color:CanvasText}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;"
    "overflow-wrap:anywhere}pre{white-space:pre-wrap}code{background:#8882;padding:.1em .3em}"
)
DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
HEADERS = (
    ("content-type", "text/html; charset=utf-8"),
    ("cache-control", "no-store"),
    (
        "content-security-policy",
        f"default-src 'none'; style-src 'sha256-{DIGEST}'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
)
PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Waitlist: local run</title><style>{style}</style>
<main>
<h1>Waitlist: local run</h1>
<h2>Waitlists</h2>
{lists}
<h2>Where to go next</h2>
<ul>
<li><a href="/docs">The API documentation</a>, where you can try requests</li>
<li><a href="/_local/mailbox">The mailbox</a>, with the emails and SMS that people get</li>
<li>To open the operator's console: <code>{port}.venv/bin/waitlist --local console</code></li>
<li>To sign up 2,000 people: <code>{port}make demo</code></li>
</ul>
</main>
</html>
"""
NO_LISTS = (
    "<p>There are no waitlists yet. To create a waitlist, run "
    "<code>{port}.venv/bin/waitlist --local create bakery --name Bakery</code></p>"
)


def start_page(waitlists: Sequence[Mapping[str, Any]] | None, host: str) -> HttpResponse:
    """If `waitlists` is None, the service could not list the waitlists."""
    port = host.rpartition(":")[2] if ":" in host else ""
    prefix = "" if port in ("", str(DEFAULT_PORT)) or not port.isdecimal() else f"PORT={port} "
    if waitlists is None:
        lists = "<p>The service could not list the waitlists. Reload the page.</p>"
    elif not waitlists:
        lists = NO_LISTS.format(port=prefix)
    else:
        lists = f"<ul>{''.join(map(_item, waitlists))}</ul>"
    html = PAGE.format(style=STYLE, lists=lists, port=prefix)
    return HttpResponse(200, HEADERS, html.encode("utf-8", "replace"))


def _item(waitlist: Mapping[str, Any]) -> str:
    waitlist_id, name = escape(waitlist["waitlist_id"]), escape(waitlist["name"])
    return (
        f'<li><bdi>{name}</bdi> <code>{waitlist_id}</code>: <a href="/w/{waitlist_id}">'
        "customer page</a></li>"
    )
