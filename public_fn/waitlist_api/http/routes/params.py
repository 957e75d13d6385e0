"""Parameters that several routes share."""

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


def _decimal(value: object) -> object:
    """Refuse other texts that Python parses as a whole number: 1_0, +5, 5.0, blanks."""
    if isinstance(value, str) and not re.fullmatch(r"-?[0-9]+", value):
        raise ValueError("must be a whole number in decimal digits")
    return value


Place = Annotated[int, Field(ge=1, le=MAX_PLACES), BeforeValidator(_decimal)]
PageSize = Annotated[int, Field(ge=1, le=MAX_PAGE), BeforeValidator(_decimal)]
Cursor = Annotated[
    str | None, Query(pattern=CURSOR, description="The `cursor` of the previous page.")
]
First = Annotated[
    Place | None,
    Query(description="The position at which the page begins."),
]
Limit = Annotated[PageSize, Query()]
Ready = Annotated[
    bool | None,
    Query(description="Only waiting entries that are ready (true), or that are not (false)."),
]
Only = Annotated[
    Literal["unverified", "asked"] | None,
    Query(
        description="Only waiting entries whose address is not verified (`unverified`), or whose "
        "customer is asked whether they still wait (`asked`). One request looks at no more than "
        f"{LOOKED_AT:,} entries: a page may have fewer than `limit`, or none, and a `cursor`."
    ),
]
Since = Annotated[
    UtcTime | None,
    Query(
        description="Only entries whose stay ended at this time, in UTC, or later: with "
        "status=admitted, left or inside, or, with status=banned, whose ban began then, or, with "
        "status=unreachable or messages_off, who get no messages since then. The pages "
        "after the first begin at their `cursor`.",
        examples=["2026-11-21T09:30:00Z"],
    ),
]
SegmentNames = Annotated[
    str | None,
    Query(
        pattern=SEGMENT_NAMES,
        max_length=512,
        description="The attribute names of a declared segment, separated by commas (no values): "
        "the answer then has the position within it.",
        examples=["language", "gender,language"],
    ),
]
# At least 16 characters (a UUID has 36): a caller who guesses a guest's key gets their token.
GuestsKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[!-~]{16,255}$",
        description="A secret of the client, new for each signup: a random UUID. A repeat with the "
        "same key returns the entry and the `entry_token` again; with another body it is refused: "
        "`idempotency_key_reused`.",
        examples=["6f1ed002-ab54-4a55-8b9c-5ab4d7a9c3f1"],
    ),
]


def _idempotency_key(description: str) -> Any:
    """Return the header by which the service recognises a repeat, as `description` says."""
    return Header(alias="Idempotency-Key", pattern=r"^[!-~]{1,255}$", description=description)


IdempotencyKey = Annotated[
    str | None,
    _idempotency_key(
        "Identifies repeats of this request: any text, new for each request, such as a "
        "UUID. A key belongs to the caller who sent it first; with another body it is refused: "
        "`idempotency_key_reused`."
    ),
]
ReinstateKey = Annotated[
    str | None,
    _idempotency_key(
        "Identifies repeats of this request: any text, new for each request, such as a "
        "UUID. A repeat by the same operator gets the same entry and token, also one that arrives "
        "when the customer has left again: it changes nothing. With another body it is refused: "
        "`idempotency_key_reused`."
    ),
]
RestKey = Annotated[
    str | None,
    _idempotency_key(
        "Identifies repeats of this request: any text, new for each rest, such as a "
        "UUID. A repeat of the last rest changes nothing, also after a resume."
    ),
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        pattern=ETAGS,
        description="The `ETag` of the settings that the request changes, or several: if they have "
        "another version now, it is refused: `settings_changed`. `*` is any version of a waitlist "
        "that exists.",
        examples=['"7"'],
    ),
]
IfNoneMatch = Annotated[
    str | None,
    Header(
        alias="If-None-Match",
        pattern=ANY_ETAG,
        description="`*`: creates a waitlist; if there is one, it is refused: `waitlist_exists`.",
        examples=["*"],
    ),
]
BanKey = Annotated[
    str | None,
    _idempotency_key(
        "Identifies repeats of a request with `ban`: any text, new for each ban, such "
        "as a UUID. A repeat of the last ban, by the same operator, changes nothing, also after an "
        "unban."
    ),
]
