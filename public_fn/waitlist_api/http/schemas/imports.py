"""Imports: rows that are each judged by themselves, and what became of them."""

import re
from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from waitlist_api.errors import FieldError, InvalidFields, InvalidJson, TooLarge, field_error
from waitlist_api.http import json_body
from waitlist_api.http.json_body import MAX_BODY_BYTES
from waitlist_api.http.schemas.common import Body, FieldProblem
from waitlist_api.http.schemas.entries import (
    CustomerId,
    EntryToken,
    SignupAttributes,
    SignupProfile,
)
from waitlist_api.imports.rows import Outcome, WhenEnded
from waitlist_shared.errors import WaitlistError
from waitlist_shared.limits import MAX_BATCH, MAX_PRIORITY

MAX_IMPORT_BYTES = 2 * 1024 * 1024
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|\+00:00)"


def _moment(value: object) -> datetime:
    if not isinstance(value, str) or not re.fullmatch(TIME, value, re.ASCII):
        raise ValueError("give a time in UTC, such as 2026-11-21T09:30:00Z")
    return datetime.fromisoformat(value)


def _row_or_refusal(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    """Return a row, or why it is refused: the others are none the worse for it."""
    try:
        if json_body.check(value) > MAX_BODY_BYTES:
            raise TooLarge(f"A row may have {MAX_BODY_BYTES} bytes at the most.")
        return validate(value)
    except ValidationError as error:
        named = [{**one, "loc": ("body", *one["loc"])} for one in error.errors(include_url=False)]
        return InvalidFields(*map(field_error, named))
    except InvalidJson as error:
        return InvalidFields(FieldError("body", error.message))
    except TooLarge as error:
        return error


class ImportRowBody(Body):
    """One to be imported: a signup, and where it is to stand."""

    customer_id: CustomerId
    profile: SignupProfile
    attributes: SignupAttributes
    priority: Annotated[
        int, Field(ge=0, le=MAX_PRIORITY, description="Higher is served first.")
    ] = 0
    joined_at: Annotated[
        datetime | None,
        BeforeValidator(_moment, json_schema_input_type=Annotated[str, Field(pattern=f"^{TIME}$")]),
        Field(
            description="When the person joined elsewhere, in UTC: they stand where they would "
            "stand had they signed up here then. Not before 2020, not in the future. Without it, "
            "behind everybody who is there.",
            examples=["2026-11-21T09:30:00Z"],
        ),
    ] = None


class ImportBody(Body):
    entries: Annotated[
        list[Annotated[ImportRowBody, WrapValidator(_row_or_refusal)]],
        Field(min_length=1, max_length=MAX_BATCH),
    ]
    entry_tokens: Annotated[
        bool,
        Field(
            description="Whether the answer has the token of everybody who is on the list then, "
            "to be handed to them. Where customers prove themselves by an issuer's tokens, true is "
            "refused: `no_entry_tokens`."
        ),
    ] = False

    ended: Annotated[
        WhenEnded,
        Field(
            description="What becomes of customers who have left or were admitted: `skip` leaves "
            "them alone, so that the same import may run again; `rejoin` gives them a new place, "
            "whatever the `rejoin` of the waitlist says."
        ),
    ] = "skip"

    @property
    def rows(self) -> list[ImportRowBody | WaitlistError]:
        return list(self.entries)


class ImportResultAnswer(BaseModel):
    row: int
    outcome: Outcome
    entry_id: Annotated[
        str | None, Field(description="Null where the row does not name a customer.")
    ]
    entry_token: Annotated[
        EntryToken | None,
        Field(description="Where `entry_tokens` asks for it, of whoever is on the list."),
    ] = None
    code: Annotated[str | None, Field(description="Why a row is refused.")] = None
    detail: str | None = None
    errors: Annotated[
        list[FieldProblem] | None, Field(description="The first 5 at most of what is wrong.")
    ] = None


class ImportAnswer(BaseModel):
    joined: int
    already: Annotated[int, Field(description="Customers who are on the list, and stay as before.")]
    ended: Annotated[
        int, Field(description="Customers whose last stay has ended, and who were left alone.")
    ]
    refused: int
    results: Annotated[list[ImportResultAnswer], Field(description="In the order of the rows.")]
