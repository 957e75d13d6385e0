"""Parameters shared by customers' and operators' routes, and customers' idempotency keys."""

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Header, Path

from waitlist_api.http.schemas.common import PathEntryId, PathOwnEntryId, PathWaitlistId
from waitlist_shared.ids import entry_id_of

WAITLIST_ID = "bakery"
ENTRY_ID = entry_id_of(WAITLIST_ID, "customer-0001")
WaitlistId = Annotated[str, Path(pattern=PathWaitlistId, examples=[WAITLIST_ID])]
ENTRY_PATH = Path(pattern=PathEntryId, examples=[ENTRY_ID])
OWN_ENTRY_PATH = Path(
    pattern=PathOwnEntryId, description="`me`, or the id of the customer's own entry."
)
EntryId = Annotated[str, ENTRY_PATH]
OwnEntryId = Annotated[str, OWN_ENTRY_PATH]
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


def idempotency_key_header(description: str) -> Any:
    """Declare an Idempotency-Key header, with a description for the OpenAPI document."""
    return Header(alias="Idempotency-Key", pattern=r"^[!-~]{1,255}$", description=description)


IdempotencyKey = Annotated[
    str | None,
    idempotency_key_header(
        "A unique key for this request, such as a UUID. If you repeat the request with the same "
        "key, it has no further effect. A key belongs to the caller who used it first. A repeat "
        "with a different body is refused with `idempotency_key_reused`."
    ),
]
DeclineKey = Annotated[
    str | None,
    idempotency_key_header(
        "A unique key for each request to decline an offer, such as a UUID. If you repeat the "
        "request with the same key, it has no further effect. If the customer's latest decline had "
        "the same key and a different body, the request is refused with `idempotency_key_reused`, "
        "unless an operator has moved the entry since then."
    ),
]
RestKey = Annotated[
    str | None,
    idempotency_key_header(
        "A unique key for each request to let others pass, such as a UUID. Repeating the latest of "
        "these requests with the same key changes nothing, even if the customer has called "
        "`resume` in the meantime."
    ),
]
