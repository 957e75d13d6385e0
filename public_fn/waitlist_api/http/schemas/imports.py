"""Requests and responses of imports.

The rows of an import are validated one by one.
"""

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
    """Return a row, or the error that refuses the row, so that the other rows can be imported."""
    try:
        if json_body.check(value) > MAX_BODY_BYTES:
            raise TooLarge(
                f"A row may have at most {MAX_BODY_BYTES} bytes. Shorten its profile "
                "or its attributes."
            )
        return validate(value)
    except ValidationError as error:
        found = error.errors(include_url=False)
        named = [{**each, "loc": ("body", *each["loc"])} for each in found]
        return InvalidFields(*map(field_error, named))
    except InvalidJson as error:
        return InvalidFields(FieldError("body", error.message))
    except TooLarge as error:
        return error


class ImportRowBody(Body):
    """One row of an import.

    It is a signup with a priority and the time at which the customer joined.
    """

    customer_id: Annotated[
        CustomerId | None,
        Field(
            description="Your own id of the customer. It is required, unless the waitlist has "
            "`identity` and the `profile` has the address. In that case leave it out, and the row "
            "belongs to the person who signs up with this address."
        ),
    ] = None
    profile: SignupProfile
    attributes: SignupAttributes
    priority: Annotated[
        int,
        Field(ge=0, le=MAX_PRIORITY, description="Rows with a higher priority are served first."),
    ] = 0
    joined_at: Annotated[
        UtcTime | None,
        Field(
            description="When the customer joined elsewhere, in UTC. The customer gets the "
            "position of a signup at that time. The time must not be before 2020 or in the "
            "future. By default the customer joins behind all entries.",
            examples=["2026-11-21T09:30:00Z"],
        ),
    ] = None
    rank: Annotated[
        Rank | None,
        Field(
            ge=MIN_RANK,
            le=MAX_RANK,
            description="The rank that the entry had in another waitlist, as `GET …/entries` "
            "returns it. The entry gets exactly this rank, even if an operator had moved it. The "
            "rank must belong to the same `priority`. By default the rank is computed from "
            "`joined_at`.",
        ),
    ] = None
    ready: Annotated[
        bool,
        Field(
            description="Send `false` to hold the entry back until an operator sets it to ready."
        ),
    ] = True
    reason: Annotated[
        Reason, Field(description="Why the entry is held back, or why the customer is banned.")
    ] = ""
    rest_until: Annotated[
        UtcTime | None,
        Field(description="Until when the customer rests. A time in the past changes nothing."),
    ] = None
    verified: Annotated[
        bool,
        Field(
            description="Send `false` if the customer has not verified the address yet. If the "
            "waitlist's `identity` has `verify`, the customer then gets a link to verify it."
        ),
    ] = True
    confirmed_at: Annotated[
        UtcTime | None,
        Field(description="When the customer last confirmed that they still wait."),
    ] = None
    messages: Annotated[
        Literal["on", "off"],
        Field(description="Send `off` if the customer only wants messages that they ask for."),
    ] = "on"
    unreachable: Annotated[
        bool,
        Field(description="Whether the address accepts no messages, because a message bounced."),
    ] = False
    language: Annotated[
        Language | None,
        Field(
            description="The language of messages to the customer. Null means the language of "
            "the waitlist."
        ),
    ] = None
    banned: Annotated[
        bool,
        Field(
            description="Whether the customer is banned, for the `reason`. A banned customer is "
            "not added, is removed from the waitlist if they are on it, and cannot sign up again."
        ),
    ] = False
    idempotency_key: Annotated[
        str,
        Field(
            pattern="^[!-~]{0,255}$",
            description="Identifies repeats of this row. It can be any text, and must be new for "
            "each row. If an earlier call with the same key has added the customer, the outcome "
            "of the row is `joined` and not `already`.",
        ),
    ] = ""

    def to_import_row(self, **identified: Any) -> ImportRow:
        """Return the row in the form that the service takes, for the customer in `identified`."""
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
            description="Whether to only try out the import. The response has the outcome that "
            "each row would have, and nothing is saved. Rows of the same person have the same "
            "`entry_id`, and the response has no tokens."
        ),
    ] = False
    ended: Annotated[
        WhenEnded,
        Field(
            description="What to do with customers who have left or were admitted. `skip` does "
            "not add them, so that an import can be repeated. `rejoin` adds them again, "
            "regardless of the waitlist's own `rejoin`."
        ),
    ] = "skip"
    on_list: Annotated[
        WhenOnList,
        Field(
            description="What to do with customers who are on the waitlist because a guest signed "
            "up. Such a signup does not prove who the guest is. `keep` keeps the guest's stay, "
            "and the row gets a warning. `replace` ends the guest's stay, so that its entry token "
            "is no longer valid, and adds the customer as the row says, with a new token. "
            "`replace` also adds customers whose guest has left. Stays that an import created are "
            "always kept."
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
            description="`signed_up_by_guest` means that a guest signed up as this customer. "
            "Anyone who knew the customer id may have done so and may have the entry token, so "
            "the row gets no token. Check the entry before you bump or admit it. `on_list: "
            "replace` gives the customer their own stay. `another_address` means that the "
            "waitlist has `identity`, and that the row's `customer_id` does not belong to the "
            "address in its `profile`. A person who signs up with the address gets another place. "
            "Leave the `customer_id` out, unless two people share the address."
        ),
    ] = None
    entry_id: Annotated[
        str | None, Field(description="The id of the entry. Null if the row has no valid customer.")
    ]
    has_no_address: Annotated[
        bool,
        Field(
            description="Whether the customer joined but cannot get the waitlist's messages, "
            "because the `profile` has no address (`email`, `phone`) that accepts messages. False "
            "if the waitlist sends no messages."
        ),
    ] = False
    code: Annotated[
        str | None, Field(description="The code of the error that refused the row.")
    ] = None
    detail: str | None = None
    errors: Annotated[
        list[FieldProblem] | None, Field(description="The first 5 invalid fields of the row.")
    ] = None


class ImportResultWithTokenAnswer(ImportResultAnswer):
    entry_token: Annotated[
        EntryToken | None,
        Field(
            description="The entry token. Null if the customer is not on the waitlist, if a "
            "guest's stay is on it, and with `dry_run`."
        ),
    ]
    link: Annotated[
        str | None,
        Field(
            description="The URL of the customer's page that opens the entry. Null if there is no "
            "token. Whoever has the link can act as the customer, so send it only to the customer."
        ),
    ]


class ImportCounts(Model):
    joined: int
    already: Annotated[
        int, Field(description="Customers who were already on the waitlist and stay unchanged.")
    ]
    ended: Annotated[
        int, Field(description="Customers who have left or were admitted, and were not added.")
    ]
    banned: Annotated[int, Field(description="Customers who are banned, and were not added.")]
    refused: int
    without_address: Annotated[
        int, Field(description="Customers who joined but cannot get the waitlist's messages.")
    ]
    warnings: Annotated[int, Field(description="Rows with a warning.")]


class ImportAnswer(ImportCounts):
    results: Annotated[
        list[ImportResultAnswer], Field(description="The results, in the order of the rows.")
    ]


class ImportWithTokensAnswer(ImportCounts):
    """The outcome of each row, with the entry token of each row that is on the waitlist."""

    results: Annotated[
        list[ImportResultWithTokenAnswer],
        Field(description="The results, in the order of the rows."),
    ]
