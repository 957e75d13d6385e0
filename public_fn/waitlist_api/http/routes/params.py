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
    """Refuse texts that Python also parses as an integer, such as 1_0, +5, 5.0 and spaces."""
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
    Query(
        description="Return only waiting entries that are ready (true), or that are not ready "
        "(false)."
    ),
]
Only = Annotated[
    Literal["unverified", "asked"] | None,
    Query(
        description="Return only waiting entries whose address is not verified (`unverified`), "
        "or whose customer has been asked whether they still wait (`asked`). One request reads "
        f"at most {LOOKED_AT:,} entries, so a page may have fewer entries than `limit`, or no "
        "entries, and still a `cursor`."
    ),
]
Since = Annotated[
    UtcTime | None,
    Query(
        description="Return only entries whose stay ended at this time (UTC) or later. This "
        "applies to the statuses `admitted`, `left` and `inside`. With `banned`, the time is the "
        "beginning of the ban. With `unreachable` and `messages_off`, it is the time since which "
        "the customer gets no messages. Later pages begin at their `cursor`.",
        examples=["2026-11-21T09:30:00Z"],
    ),
]
SegmentNames = Annotated[
    str | None,
    Query(
        pattern=SEGMENT_NAMES,
        max_length=512,
        description="The attribute names of a declared segment, separated by commas and without "
        "values. The response then has the position within this segment.",
        examples=["language", "gender,language"],
    ),
]
# The key has at least 16 characters (a UUID has 36), because whoever guesses a guest's key gets the
# guest's token.
GuestsKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[!-~]{16,255}$",
        description="A secret of the client, such as a random UUID, that is new for each signup. "
        "A repeat with the same key returns the entry and the `entry_token` again. A repeat with "
        "another body is refused with `idempotency_key_reused`.",
        examples=["6f1ed002-ab54-4a55-8b9c-5ab4d7a9c3f1"],
    ),
]


def _idempotency_key(description: str) -> Any:
    """Return the Idempotency-Key header with this description."""
    return Header(alias="Idempotency-Key", pattern=r"^[!-~]{1,255}$", description=description)


IdempotencyKey = Annotated[
    str | None,
    _idempotency_key(
        "Identifies repeats of this request. It can be any text, such as a UUID, and must be new "
        "for each request. A key belongs to the caller who sent it first. A repeat with another "
        "body is refused with `idempotency_key_reused`."
    ),
]
ReinstateKey = Annotated[
    str | None,
    _idempotency_key(
        "Identifies repeats of this request. It can be any text, such as a UUID, and must be new "
        "for each request. A repeat by the same operator gets the same entry and token. If the "
        "customer has left again before the repeat arrives, the repeat changes nothing. A repeat "
        "with another body is refused with `idempotency_key_reused`."
    ),
]
RestKey = Annotated[
    str | None,
    _idempotency_key(
        "Identifies repeats of this request. It can be any text, such as a UUID, and must be new "
        "for each rest. A repeat of the last rest changes nothing, even after a resume."
    ),
]
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        pattern=ETAGS,
        description="The `ETag` of the settings that the request changes, or several ETags. If "
        "the settings now have another version, the request is refused with `settings_changed`. "
        "`*` matches any version of an existing waitlist.",
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
        "Identifies repeats of a request with `ban`. It can be any text, such as a UUID, and must "
        "be new for each ban. A repeat of the last ban by the same operator changes nothing, even "
        "after an unban."
    ),
]
