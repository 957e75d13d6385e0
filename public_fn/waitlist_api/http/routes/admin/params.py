"""Parameters of operators' requests."""

import re
from typing import Annotated, Literal

from aws_lambda_powertools.event_handler.openapi.params import Header, Query
from pydantic import BeforeValidator, Field

from waitlist_api.entries.queries import LOOKED_AT
from waitlist_api.http.field_errors import ANY_ETAG, ETAGS
from waitlist_api.http.routes.params import idempotency_key_header
from waitlist_api.http.schemas.common import CURSOR, UtcTime
from waitlist_shared.limits import MAX_PAGE, MAX_PLACES


def _decimal(value: object) -> object:
    """Raise ValueError if the text is not a whole number in decimal digits.

    Pydantic would also accept 1_0, +5 and 5.0 as integers.
    """
    if isinstance(value, str) and not re.fullmatch(r"-?[0-9]+", value):
        raise ValueError("must be a whole number in decimal digits")
    return value


Place = Annotated[int, Field(ge=1, le=MAX_PLACES), BeforeValidator(_decimal)]
PageSize = Annotated[int, Field(ge=1, le=MAX_PAGE), BeforeValidator(_decimal)]
Cursor = Annotated[
    str | None, Query(pattern=CURSOR, description="The `cursor` from the previous page.")
]
First = Annotated[
    Place | None,
    Query(description="The position of the first entry on the page."),
]
Limit = Annotated[PageSize, Query()]
Ready = Annotated[
    bool | None,
    Query(
        description="If true, return only waiting entries that are ready. If false, return only "
        "waiting entries that are not ready."
    ),
]
Only = Annotated[
    Literal["unverified", "asked"] | None,
    Query(
        description="Return only waiting entries whose address is not verified (`unverified`), "
        "or whose customer has been asked whether they are still waiting (`asked`). One request "
        f"reads at most {LOOKED_AT:,} entries, so a page may have fewer entries than `limit`, or "
        "none at all, and still have a `cursor`."
    ),
]
Since = Annotated[
    UtcTime | None,
    Query(
        description="Return only entries that moved to the requested status at this time (UTC) or "
        "later. For `unreachable` and `messages_off`, this is the time when the customer stopped "
        "getting messages. To get a later page, send only `cursor`.",
        examples=["2026-11-21T09:30:00Z"],
    ),
]
ReinstateKey = Annotated[
    str | None,
    idempotency_key_header(
        "A unique key for this request, such as a UUID. If the same operator repeats the request "
        "with the same key, the entry is not reinstated again, even if the customer has left again "
        "in the meantime. A repeat with a different body is refused with `idempotency_key_reused`."
    ),
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        pattern=ETAGS,
        description="The `ETag` of the settings that you want to change, or a list of ETags. If "
        "the settings have changed in the meantime, the request is refused with "
        "`settings_changed`. `*` matches any version of an existing waitlist.",
        examples=['"7"'],
    ),
]
IfNoneMatch = Annotated[
    str | None,
    Header(
        alias="If-None-Match",
        pattern=ANY_ETAG,
        description="Send `*` to create a waitlist. If the waitlist already exists, the request "
        "is refused with `waitlist_exists`.",
        examples=["*"],
    ),
]
BanKey = Annotated[
    str | None,
    idempotency_key_header(
        "A unique key for each request with `ban`, such as a UUID. If the same operator repeats "
        "the latest ban with the same key, nothing changes, even if the ban has already ended."
    ),
]
