"""Parameters that several routes share."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Header, Path, Query

from waitlist_api.schemas.basis import CURSOR, PathEntryId, PathOwnEntryId, PathWaitlistId
from waitlist_api.schemas.segments import SEGMENT_NAMES
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
Cursor = Annotated[str | None, Query(pattern=CURSOR, description="`cursor` of the page before.")]
First = Annotated[
    int | None,
    Query(ge=1, le=MAX_PLACES, description="The position at which the page begins."),
]
Limit = Annotated[int, Query(ge=1, le=MAX_PAGE)]
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
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[!-~]{1,255}$",
        description="Makes a repeat of this request recognisable: any text, new for each request.",
    ),
]
