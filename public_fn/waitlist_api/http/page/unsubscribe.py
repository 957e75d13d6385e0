"""The HTML page behind the URL in an email's `List-Unsubscribe` header. The page has no script."""

import base64
import hashlib
import json
from functools import cache
from html import escape
from pathlib import Path

TEXTS = Path(__file__).with_suffix(".json")
STYLE = """
:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }
body { display: grid; min-height: 90vh; margin: 1rem; place-content: center }
main { max-width: 32rem; overflow-wrap: anywhere }
button { min-height: 3rem; padding: 0 1.25rem; font: inherit; cursor: pointer }
"""
HTML = """<!doctype html>
<html lang="{language}" dir="{direction}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{title}</title><style>{style}</style></head>
<body><main>
<h1>{title}</h1>
<p>{text}</p>
{form}</main></body>
</html>
"""
FORM = '<form method="post"><button>{button}</button></form>\n'
_STYLE_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_DIGEST}'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)


def unsubscribe_page(text: str, language: str, name: str = "") -> str:
    """Return the unsubscribe page.

    `text` is the name of the text to show. With `ask`, the page asks whether the customer wants to
    unsubscribe, and shows a button to unsubscribe.
    """
    texts = _texts()[language]
    return HTML.format(
        language=language,
        direction=texts["direction"],
        title=texts["title"],
        style=STYLE,
        text=texts[text].replace("{name}", f"<bdi>{escape(name)}</bdi>"),
        form=FORM.format(button=texts["button"]) if text == "ask" else "",
    )


@cache
def _texts() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(TEXTS.read_text("utf-8"))
    return found
