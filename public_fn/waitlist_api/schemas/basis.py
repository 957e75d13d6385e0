"""What bodies and answers are made of, and how problems look."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from waitlist_shared import ids

PathWaitlistId = f"^{ids.WAITLIST_ID}$"
PathEntryId = f"^{ids.ENTRY_ID}$"
CURSOR = "^[A-Za-z0-9_-]{1,512}$"
ME = "me"
PathOwnEntryId = f"^({ME}|{ids.ENTRY_ID})$"


def looks(**schema: Any) -> Any:
    """Return what the document says of an answer's field; nothing is checked by it."""
    return Field(json_schema_extra=schema)


Time = Annotated[str, looks(format="date-time", examples=["2026-03-01T09:30:00.000Z"])]
TheWaitlistId = Annotated[str, looks(pattern=PathWaitlistId)]
TheEntryId = Annotated[str, looks(pattern=PathEntryId)]
TheCustomerId = Annotated[str, looks(pattern=f"^{ids.CUSTOMER_ID}$")]
TheCursor = Annotated[str, looks(pattern=CURSOR)]
Count = Annotated[int, looks(minimum=0)]
Reason = Annotated[str, Field(max_length=500, description="Kept in the history.")]


class Body(BaseModel):
    """A request body: exact types, no unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True)


class FieldProblem(BaseModel):
    field: str
    message: str


class Problem(BaseModel):
    """RFC 9457 problem details; clients go by `code`."""

    type: str
    title: str
    status: Annotated[int, looks(minimum=400, maximum=599)]
    code: Annotated[str, looks(pattern="^[a-z_]+$")]
    detail: str
    errors: list[FieldProblem] = []


class GatewayMessage(BaseModel):
    """What API Gateway says where it answers by itself: of throttling, credentials and outages."""

    message: str | None
