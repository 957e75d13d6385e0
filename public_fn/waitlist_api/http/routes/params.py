"""Parameters that several routes share."""

import re
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query
from pydantic import BeforeValidator, Field

from waitlist_api.http.schemas.common import CURSOR, PathEntryId, PathOwnEntryId, PathWaitlistId
from waitlist_api.http.schemas.segments import SEGMENT_NAMES
from waitlist_shared.ids import entry_id_of
from waitlist_shared.limits import MAX_PAGE, MAX_PLACES

WAITLIST_ID = "bakery"
ENTRY_ID = entry_id_of(WAITLIST_ID, "customer-0001")
WaitlistId = Annotated[str, Path(pattern=PathWaitlistId, examples=[WAITLIST_ID])]
EntryId = Annotated[str, Path(pattern=PathEntryId, examples=[ENTRY_ID])]
OwnEntryId = Annotated[
    str,
    Path(
        pattern=PathOwnEntryId,
        description="`me`, or the id of the caller's own entry.",
    ),
]


def _decimal(value: object) -> object:
    """Refuse what else Python reads as a whole number: 1_0, +5, 5.0, and blanks around it."""
    if isinstance(value, str) and not re.fullmatch(r"-?[0-9]+", value):
        raise ValueError("give a whole number in decimal digits")
    return value


Place = Annotated[int, Field(ge=1, le=MAX_PLACES), BeforeValidator(_decimal)]
PageSize = Annotated[int, Field(ge=1, le=MAX_PAGE), BeforeValidator(_decimal)]
Cursor = Annotated[str | None, Query(pattern=CURSOR, description="`cursor` of the page before.")]
First = Annotated[
    Place | None,
    Query(description="The position at which the page begins."),
]
Limit = Annotated[PageSize, Query()]
SegmentNames = Annotated[
    str | None,
    Query(
        pattern=SEGMENT_NAMES,
        max_length=512,
        description="Attributes of a declared segment, a comma between two names (never values): "
        "asks for the place within it, too.",
        examples=["language", "gender,language"],
    ),
]
# A UUID has 36 characters; whoever knows a guest's key gets the guest's token.
GuestsKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[!-~]{16,255}$",
        description="A secret of the client, new for each signup: a random UUID. A repeat with it "
        "gets the place and the `entry_token` again; with another body it is refused, "
        "`idempotency_key_reused`.",
        examples=["6f1ed002-ab54-4a55-8b9c-5ab4d7a9c3f1"],
    ),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[!-~]{1,255}$",
        description="Makes a repeat of this request recognisable: any text, new for each request, "
        "such as a UUID. A key belongs to the caller who sent it first; with another body it is "
        "refused, `idempotency_key_reused`.",
    ),
]
