"""`make openapi`: writes the OpenAPI document, as `/docs` shows it.

`docs/openapi/guests.json` is for a stack with guests, `docs/openapi/jwt.json` for one with an
issuer.
"""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

from aws_lambda_powertools import Logger

from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.config import Config
from waitlist_api.http.api import Api
from waitlist_api.services import Services

ROOT = Path(__file__).resolve().parents[1]
# By file, whether customers have an issuer's tokens.
FILES = {"docs/openapi/guests.json": False, "docs/openapi/jwt.json": True}
# Making the document calls no route, so no part of this is used.
NOWHERE = Config(
    table_name="none",
    private_function_name="none",
    maintenance_function_name="none",
    entry_token_secret="none",
    entry_token_secret_arn="",
    log_level="WARNING",
)
REQUEST = {
    "version": "2.0",
    "routeKey": "GET /docs",
    "rawPath": "/docs",
    "queryStringParameters": {"format": "json"},
    "requestContext": {"http": {"method": "GET", "path": "/docs"}, "stage": "$default"},
    "headers": {},
}


def document(*, knows_issuer: bool) -> dict[str, Any]:
    """Return the document of one kind of stack."""
    tokens = None if knows_issuer else EntryTokens("a" * 64)
    api = Api(Services.on(NOWHERE, None, None), tokens, Logger(level="WARNING"))
    with warnings.catch_warnings():
        # Powertools does not close the files of its page.
        warnings.simplefilter("ignore", ResourceWarning)
        answer = api.handle(REQUEST, None)
    found: dict[str, Any] = json.loads(answer["body"])
    return found


def text(*, knows_issuer: bool) -> str:
    """Return the text of the document's file, sorted so that a diff shows only the change."""
    whole = _sorted(document(knows_issuer=knows_issuer))
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _sorted(value: Any, name: str = "") -> Any:
    """Sort everything except a response's media types: generators use the first of them."""
    if isinstance(value, list):
        return [_sorted(one) for one in value]
    if not isinstance(value, dict):
        return value
    keys = list(value) if name == "content" else sorted(value)
    return {key: _sorted(value[key], key) for key in keys}


def main() -> int:
    for name, knows_issuer in FILES.items():
        (ROOT / name).write_text(text(knows_issuer=knows_issuer), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
