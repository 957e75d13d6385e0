"""Write the OpenAPI documents, which have the same content as `/docs`. `make openapi` runs this
module.

`docs/openapi/guests.json` describes a stack whose customers do not sign in. In other stacks,
customers sign in with an issuer's tokens. `docs/openapi/issuer.patch.json` is a JSON Merge Patch
(RFC 7396) that turns the first document into the one for these stacks.

Only these two files are committed. `tools.openapi_variants` makes the other documents from them.
"""

import json
import sys
import warnings
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from tools import openapi_variants
from tools.openapi_variants import GUESTS, PATCH, lines_of, merge_patch
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.auth.passes import Passes
from waitlist_api.bots.check import BotCheck
from waitlist_api.config import Config
from waitlist_api.http.api import Api
from waitlist_api.services import Services
from waitlist_api.webhooks.replay import Replays

# Building the document calls no route, so the values in this configuration are never used.
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


@cache
def document(*, knows_issuer: bool) -> dict[str, Any]:
    tokens = None if knows_issuer else EntryTokens("a" * 64)
    unused = {Passes: None, Replays: None, BotCheck | None: None}
    services = Services.on(NOWHERE, None, None).replaced(unused)
    api = Api(services, tokens, Logger(level="WARNING"))
    with warnings.catch_warnings():
        # Powertools does not close the files that it reads for its documentation page. Ignore
        # Python's warnings about them.
        warnings.simplefilter("ignore", ResourceWarning)
        answer = api.handle(REQUEST, None)
    found: dict[str, Any] = json.loads(answer["body"])
    return found


def guests_text() -> str:
    """The text is sorted, so that a diff shows only real changes."""
    return json.dumps(_sorted(document(knows_issuer=False)), indent=1, ensure_ascii=False) + "\n"


def patch_text() -> str:
    guests, accounts = (_sorted(document(knows_issuer=value)) for value in (False, True))
    return lines_of(merge_patch(guests, accounts))


def _sorted(value: Any, name: str = "") -> Any:
    """Sort a document's keys, but not a response's media types, because client generators use the
    first media type.
    """
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    if not isinstance(value, dict):
        return value
    keys = list(value) if name == "content" else sorted(value)
    return {key: _sorted(value[key], key) for key in keys}


def main() -> int:
    GUESTS.write_text(guests_text(), encoding="utf-8")
    PATCH.write_text(patch_text(), encoding="utf-8")
    return openapi_variants.main()


if __name__ == "__main__":
    sys.exit(main())
