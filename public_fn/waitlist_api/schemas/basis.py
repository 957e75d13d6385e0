"""What bodies and answers are made of, and how problems look."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from waitlist_shared import ids

PathWaitlistId = f"^{ids.WAITLIST_ID}$"
PathEntryId = f"^{ids.ENTRY_ID}$"
ME = "me"
PathOwnEntryId = f"^({ME}|{ids.ENTRY_ID})$"

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
    status: int
    code: str
    detail: str
    errors: list[FieldProblem] = []
