"""Imports: rows that are validated one by one, and the outcome of each."""

from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from waitlist_api.errors import FieldError, InvalidFields, InvalidJson, TooLarge, field_error
from waitlist_api.http import json_body
from waitlist_api.http.json_body import MAX_BODY_BYTES
from waitlist_api.http.schemas.common import Body, FieldProblem, Model, Rank, Reason, UtcTime
from waitlist_api.http.schemas.entries import (
    CustomerId,
    EntryToken,
    SignupAttributes,
    SignupProfile,
)
from waitlist_api.imports.rows import ImportRow, Outcome, RowWarning, WhenEnded, WhenOnList
from waitlist_api.settings.page import Language
from waitlist_shared.errors import WaitlistError
from waitlist_shared.limits import MAX_BATCH, MAX_PRIORITY
from waitlist_shared.ranks import ROOM, TIER, rank_of

MAX_IMPORT_BYTES = 2 * 1024 * 1024
MIN_RANK, MAX_RANK = rank_of(MAX_PRIORITY, -ROOM), rank_of(0, TIER - ROOM - 1)


def _row_or_refusal(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    """Return a row, or the error that refuses it: the other rows are imported."""
    try:
        if json_body.check(value) > MAX_BODY_BYTES:
            raise TooLarge(f"A row may have at most {MAX_BODY_BYTES} bytes.")
        return validate(value)
    except ValidationError as error:
        named = [{**one, "loc": ("body", *one["loc"])} for one in error.errors(include_url=False)]
        return InvalidFields(*map(field_error, named))
    except InvalidJson as error:
        return InvalidFields(FieldError("body", error.message))
    except TooLarge as error:
        return error


class ImportRowBody(Body):
    """One row: a signup with its priority and time of joining."""

    customer_id: Annotated[
        CustomerId | None,
        Field(
            description="The client's id of the customer. On a waitlist with `identity` leave it "
            "out where the `profile` has the address: the row is then of the person who signs up "
            "with it. Required elsewhere."
        ),
    ] = None
    profile: SignupProfile
    attributes: SignupAttributes
    priority: Annotated[
        int, Field(ge=0, le=MAX_PRIORITY, description="Higher is served first.")
    ] = 0
    joined_at: Annotated[
        UtcTime | None,
        Field(
            description="When the customer joined elsewhere, in UTC. They get the position of a "
            "signup at that time. Not before 2020, not in the future. Default: behind all entries.",
            examples=["2026-11-21T09:30:00Z"],
        ),
    ] = None
    rank: Annotated[
        Rank | None,
        Field(
            ge=MIN_RANK,
            le=MAX_RANK,
            description="The place that the customer had in another waitlist, as `GET …/entries` "
            "answers it: the entry stands exactly there, also where it had been moved. Of the "
            "same `priority`. Default: by `joined_at`.",
        ),
    ] = None
    ready: Annotated[
        bool,
        Field(description="`false`: the entry is held back until an operator says it is ready."),
    ] = True
    reason: Annotated[
        Reason, Field(description="Why the entry is held back, or the customer banned.")
    ] = ""
    rest_until: Annotated[
        UtcTime | None,
        Field(
            description="Until when the customer lets others pass. A time that is over changes "
            "nothing."
        ),
    ] = None
    verified: Annotated[
        bool,
        Field(
            description="`false`: the customer has still to prove the address, if the waitlist's "
            "`identity` has `verify`, and gets a link for it."
        ),
    ] = True
    confirmed_at: Annotated[
        UtcTime | None,
        Field(description="When the customer last confirmed that they still wait."),
    ] = None
    messages: Annotated[
        Literal["on", "off"],
        Field(description="`off`: the customer wants no messages but those that they ask for."),
    ] = "on"
    unreachable: Annotated[
        bool, Field(description="Whether the address takes no messages, as a bounce has shown.")
    ] = False
    language: Annotated[
        Language | None,
        Field(description="In which language the customer gets messages; null: the list's."),
    ] = None
    banned: Annotated[
        bool,
        Field(
            description="Whether the customer is banned, for the `reason`: they are not added, and "
            "refused from then on. One who is on the waitlist is removed."
        ),
    ] = False
    idempotency_key: Annotated[
        str,
        Field(
            pattern="^[!-~]{0,255}$",
            description="Identifies repeats of this row: any text, new for each row. If an earlier "
            "call with the same key has added the customer, the row is `joined`, not `already`.",
        ),
    ] = ""

    def row(self, **identified: Any) -> ImportRow:
        """Return the row as the service takes it, with the customer that it is of."""
        fields = dict(self) | {
            "messages": "off" if self.messages == "off" else "",
            "language": self.language or "",
        }
        return ImportRow(**fields | identified)


class ImportBody(Body):
    entries: Annotated[
        list[Annotated[ImportRowBody, WrapValidator(_row_or_refusal)]],
        Field(min_length=1, max_length=MAX_BATCH),
    ]
    dry_run: Annotated[
        bool,
        Field(
            description="Whether to answer only what would become of each row. Nothing is written. "
            "Rows of one person have the same `entry_id`; tokens are not answered."
        ),
    ] = False
    ended: Annotated[
        WhenEnded,
        Field(
            description="Customers who have left or were admitted: `skip` does not add them, so "
            "that an import can be repeated; `rejoin` adds them again, whatever the waitlist's own "
            "`rejoin` is."
        ),
    ] = "skip"
    on_list: Annotated[
        WhenOnList,
        Field(
            description="Customers who are on the waitlist by a guest's signup, which proves "
            "nothing about who the guest is: `keep` leaves them their places, with a warning; "
            "`replace` ends the guest's stay, whose entry token fits nothing any more, and adds "
            "the customer as the row says, with another token. It also adds customers whose "
            "guest has left. Stays that an import made are kept either way."
        ),
    ] = "keep"

    @property
    def rows(self) -> list[ImportRowBody | WaitlistError]:
        return list(self.entries)


class ImportResultAnswer(Model):
    row: int
    outcome: Outcome
    warning: Annotated[
        RowWarning | None,
        Field(
            description="`signed_up_by_guest`: the customer is on the waitlist, or was, by a "
            "guest's signup. Any person who knew the customer id may have made it and may hold its "
            "entry token, so the row gets none. Check it before you bump or admit the entry; "
            "`on_list: replace` gives the customer a stay of their own. `another_address`: the "
            "waitlist has `identity`, and the row's `customer_id` is not the person of the address "
            "in its `profile`. Who signs up with the address gets another place: leave the "
            "`customer_id` out, unless two people share the address."
        ),
    ] = None
    entry_id: Annotated[str | None, Field(description="Null if the row has no valid customer.")]
    has_no_address: Annotated[
        bool,
        Field(
            description="Whether the customer joined and cannot get the waitlist's messages: the "
            "`profile` has no address that takes any (`email`, `phone`). False if the waitlist "
            "sends no messages."
        ),
    ] = False
    code: Annotated[str | None, Field(description="The error that refused the row.")] = None
    detail: str | None = None
    errors: Annotated[
        list[FieldProblem] | None, Field(description="The first 5 invalid fields.")
    ] = None


class ImportResultWithTokenAnswer(ImportResultAnswer):
    entry_token: Annotated[
        EntryToken | None,
        Field(
            description="Null if the row is not on the waitlist, or by the stay of a guest; also "
            "with `dry_run`."
        ),
    ]
    link: Annotated[
        str | None,
        Field(
            description="With the token: the address of the customer's page that opens the place. "
            "Whoever has it has the place: send it to the customer alone."
        ),
    ]


class ImportCounts(Model):
    joined: int
    already: Annotated[
        int, Field(description="Customers who were already on the waitlist; unchanged.")
    ]
    ended: Annotated[int, Field(description="Customers who have left or were admitted; not added.")]
    banned: Annotated[int, Field(description="Customers who are banned; not added.")]
    refused: int
    without_address: Annotated[
        int, Field(description="Customers who joined and cannot get the waitlist's messages.")
    ]
    warnings: Annotated[int, Field(description="Rows with a warning.")]


class ImportAnswer(ImportCounts):
    results: Annotated[list[ImportResultAnswer], Field(description="In the order of the rows.")]


class ImportWithTokensAnswer(ImportCounts):
    """The outcome of each row, with the entry token of each that is on the waitlist."""

    results: Annotated[
        list[ImportResultWithTokenAnswer], Field(description="In the order of the rows.")
    ]
