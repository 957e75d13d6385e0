"""Request parameters that several routes share."""

import re
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query
from pydantic import BeforeValidator, Field

from waitlist_api.entries.queries import LOOKED_AT
from waitlist_api.errors import ANY_ETAG, ETAGS
from waitlist_api.http.schemas.common import (
    CURSOR,
    PathEntryId,
    PathOwnEntryId,
    PathWaitlistId,
    UtcTime,
)
from waitlist_api.http.schemas.segments import SEGMENT_NAMES
from waitlist_shared.ids import entry_id_of
from waitlist_shared.limits import MAX_PAGE, MAX_PLACES

WAITLIST_ID = "bakery"
ENTRY_ID = entry_id_of(WAITLIST_ID, "customer-0001")
WaitlistId = Annotated[str, Path(pattern=PathWaitlistId, examples=[WAITLIST_ID])]
ENTRY_PATH = Path(pattern=PathEntryId, examples=[ENTRY_ID])
OWN_ENTRY_PATH = Path(
    pattern=PathOwnEntryId, description="`me`, or the id of the customer's own entry."
)
EntryId = Annotated[str, ENTRY_PATH]
OwnEntryId = Annotated[str, OWN_ENTRY_PATH]


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
SegmentNames = Annotated[
    str | None,
    Query(
        pattern=SEGMENT_NAMES,
        max_length=512,
        description="The attribute names of a declared segment, separated by commas. The response "
        "then contains the entry's position within this segment.",
        examples=["language", "gender,language"],
    ),
]
# A guest's Idempotency-Key must have at least 16 characters, because anyone who guesses it can get
# the guest's entry token. (A UUID has 36.)
GuestsKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[!-~]{16,255}$",
        description="A secret key, such as a random UUID. Use a new key for each signup. If you "
        "repeat the signup with the same key, the response contains the same entry and its "
        "`entry_token`. A repeat with a different body is refused with `idempotency_key_reused`.",
        examples=["6f1ed002-ab54-4a55-8b9c-5ab4d7a9c3f1"],
    ),
]


def _idempotency_key(description: str) -> Any:
    """Declare an Idempotency-Key header, with a description for the OpenAPI document."""
    return Header(alias="Idempotency-Key", pattern=r"^[!-~]{1,255}$", description=description)


IdempotencyKey = Annotated[
    str | None,
    _idempotency_key(
        "A unique key for this request, such as a UUID. If you repeat the request with the same "
        "key, it has no further effect. A key belongs to the caller who used it first. A repeat "
        "with a different body is refused with `idempotency_key_reused`."
    ),
]
ReinstateKey = Annotated[
    str | None,
    _idempotency_key(
        "A unique key for this request, such as a UUID. If the same operator repeats the request "
        "with the same key, the entry is not reinstated again, even if the customer has left again "
        "in the meantime. A repeat with a different body is refused with `idempotency_key_reused`."
    ),
]
DeclineKey = Annotated[
    str | None,
    _idempotency_key(
        "A unique key for each request to decline an offer, such as a UUID. If you repeat the "
        "request with the same key, it has no further effect. If the customer's latest decline had "
        "the same key and a different body, the request is refused with `idempotency_key_reused`, "
        "unless an operator has moved the entry since then."
    ),
]
RestKey = Annotated[
    str | None,
    _idempotency_key(
        "A unique key for each request to let others pass, such as a UUID. Repeating the latest of "
        "these requests with the same key changes nothing, even if the customer has called "
        "`resume` in the meantime."
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
    _idempotency_key(
        "A unique key for each request with `ban`, such as a UUID. If the same operator repeats "
        "the latest ban with the same key, nothing changes, even if the ban has already ended."
    ),
]
