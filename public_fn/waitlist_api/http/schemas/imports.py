"""Request and response bodies for imports.

The rows of an import are validated one by one.
"""

from typing import Annotated, Any, Literal

from pydantic import (
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from waitlist_api.errors import FieldError, InvalidFields, InvalidJson, TooLarge
from waitlist_api.http import json_body
from waitlist_api.http.field_errors import field_error
from waitlist_api.http.json_body import MAX_BODY_BYTES
from waitlist_api.http.schemas.common import Body, Model, Rank, Reason, UtcTime
from waitlist_api.http.schemas.entries import EntryToken
from waitlist_api.http.schemas.problem import FieldProblem
from waitlist_api.http.schemas.signup import (
    CustomerId,
    SignupAttributes,
    SignupProfile,
)
from waitlist_api.imports.rows import ImportRow, Outcome, RowWarning, WhenEnded, WhenOnList
from waitlist_api.settings.texts import Language
from waitlist_shared.errors import WaitlistError
from waitlist_shared.limits import MAX_BATCH, MAX_PRIORITY
from waitlist_shared.ranks import ROOM, TIER, rank_of

MAX_IMPORT_BYTES = 2 * 1024 * 1024
MIN_RANK, MAX_RANK = rank_of(MAX_PRIORITY, -ROOM), rank_of(0, TIER - ROOM - 1)


def _row_or_refusal(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    """Return the parsed row, or an error that says why the row was refused."""
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
    """One row of an import, which describes one customer.

    In addition to the profile and attributes that a signup contains, it can contain the customer's
    priority and when they joined.
    """

    customer_id: Annotated[
        CustomerId | None,
        Field(
            description="Your own id for the customer. If the waitlist has `identity` set, leave "
            "this field out, and send the address in the `profile`. The row then belongs to the "
            "person with this address. Otherwise this field is required."
        ),
    ] = None
    profile: SignupProfile
    attributes: SignupAttributes
    priority: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_PRIORITY,
            description="The entry's priority. Entries with a higher priority are served first.",
        ),
    ] = 0
    joined_at: Annotated[
        UtcTime | None,
        Field(
            description="When the customer joined your previous system (UTC). The customer gets "
            "the position that a signup at this time would have received. The time must not be "
            "before 2020 or in the future. If it is left out, the customer joins at the end of the "
            "queue.",
            examples=["2026-11-21T09:30:00Z"],
        ),
    ] = None
    rank: Annotated[
        Rank | None,
        Field(
            ge=MIN_RANK,
            le=MAX_RANK,
            description="The entry's rank in another waitlist, as returned by `GET …/entries`. The "
            "entry gets the same rank in this waitlist. The rank depends on the priority, so also "
            "send the entry's `priority` from the other waitlist. If `rank` is left out, it is "
            "computed from `joined_at`.",
        ),
    ] = None
    ready: Annotated[
        bool,
        Field(description="Send `false` to hold the entry back until an operator makes it ready."),
    ] = True
    reason: Annotated[
        Reason,
        Field(
            description="If `ready` is `false`, the reason why the entry is held back. "
            "If `banned` is true, the reason for the ban."
        ),
    ] = ""
    rest_until: Annotated[
        UtcTime | None,
        Field(
            description="When the customer stops letting others pass. Until then, other customers "
            "are served first. A time in the past has no effect."
        ),
    ] = None
    verified: Annotated[
        bool,
        Field(
            description="Send `false` if the customer has not verified the address yet. If the "
            "waitlist's `identity.verify` setting is `before_offer`, the service then sends the "
            "customer a verification link."
        ),
    ] = True
    confirmed_at: Annotated[
        UtcTime | None,
        Field(description="When the customer last confirmed that they are still waiting."),
    ] = None
    messages: Annotated[
        Literal["on", "off"],
        Field(
            description="Send `off` if the customer has turned off messages. They still receive "
            "messages that they request."
        ),
    ] = "on"
    unreachable: Annotated[
        bool,
        Field(
            description="Send `true` if a message to the customer's address has bounced. The "
            "customer then receives no messages."
        ),
    ] = False
    language: Annotated[
        Language | None,
        Field(
            description="The language of messages to the customer. Null means the waitlist's "
            "default language."
        ),
    ] = None
    tell: Annotated[
        bool,
        Field(
            description="Whether to send the customer the `joined` message, as after a signup. The "
            "message is sent only if the `messages.kinds` setting contains `joined`."
        ),
    ] = False
    banned: Annotated[
        bool,
        Field(
            description="Whether to ban the customer, for the reason given in `reason`. A banned "
            "customer cannot sign up, and is removed if they are on the waitlist."
        ),
    ] = False
    idempotency_key: Annotated[
        str,
        Field(
            pattern="^[!-~]{0,255}$",
            description="A unique key for this row, which can be any text. If an earlier call "
            "with the same key has added the customer, the row's outcome is `joined` instead of "
            "`already`.",
        ),
    ] = ""

    def to_import_row(self, **identified: Any) -> ImportRow:
        """Convert the row to the type that the import service expects."""
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
            description="If true, nothing is imported. For each row, the response contains the "
            "`entry_id` and the outcome that an import would have, but no entry token. Rows with "
            "the same `entry_id` belong to the same person."
        ),
    ] = False
    ended: Annotated[
        WhenEnded,
        Field(
            description="What to do with customers who have left or were admitted. `skip` does "
            "not add them. `rejoin` adds them again, regardless of the waitlist's `rejoin` "
            "setting."
        ),
    ] = "skip"
    on_list: Annotated[
        WhenOnList,
        Field(
            description="What to do if a guest has signed up with the id of an imported customer, "
            "which anybody can do. `keep` keeps the guest's entry, and adds a warning to the row. "
            "`replace` removes the guest's entry, and adds the imported customer with a new token, "
            "even if the guest has already left. Entries from an earlier import are always kept."
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
            "the row gets no token. Check the entry before you bump or admit it. To end the "
            "guest's signup and add the customer instead, send `on_list: replace`. "
            "`another_address` means that the waitlist has `identity`, and that the row's "
            "`customer_id` does not belong to the address in its `profile`. A person who signs up "
            "with the address gets another entry. Leave the `customer_id` out, unless two people "
            "share the address."
        ),
    ] = None
    entry_id: Annotated[
        str | None,
        Field(description="The id of the entry. Null if the row does not identify a customer."),
    ]
    has_no_address: Annotated[
        bool,
        Field(
            description="True if the customer joined, but the waitlist cannot send them messages. "
            "Either the `profile` contains no address, or the settings do not allow messages to "
            "it, for example because of the country of the phone number. This field does not say "
            "whether the stack can send email or SMS. False if the waitlist sends no messages."
        ),
    ] = False
    code: Annotated[
        str | None, Field(description="The code that says why the row was refused.")
    ] = None
    detail: str | None = None
    errors: Annotated[
        list[FieldProblem] | None, Field(description="The first 5 invalid fields of the row.")
    ] = None


class ImportResultWithTokenAnswer(ImportResultAnswer):
    entry_token: Annotated[
        EntryToken | None,
        Field(
            description="The customer's entry token. Null if the request has `dry_run`, if the "
            "customer is not on the waitlist, or if the import has kept an entry that a guest "
            "created."
        ),
    ]
    link: Annotated[
        str | None,
        Field(
            description="A URL of the customer page that shows this entry. Anyone who has this URL "
            "can act as the customer, so send it only to the customer. Null if there is no token."
        ),
    ]


class ImportCounts(Model):
    joined: int
    already: Annotated[
        int,
        Field(
            description="The number of customers who were already on the waitlist, and whose "
            "entries did not change."
        ),
    ]
    ended: Annotated[
        int,
        Field(
            description="The number of customers who had left or were admitted, and were not added."
        ),
    ]
    banned: Annotated[int, Field(description="The number of banned customers, who were not added.")]
    refused: int
    without_address: Annotated[
        int,
        Field(description="The number of rows in which `has_no_address` is true."),
    ]
    warnings: Annotated[int, Field(description="The number of rows with a warning.")]


class ImportAnswer(ImportCounts):
    results: Annotated[
        list[ImportResultAnswer], Field(description="The results, in the same order as the rows.")
    ]


class ImportWithTokensAnswer(ImportCounts):
    """The result of each row, and the entry token of each customer who is on the waitlist."""

    results: Annotated[
        list[ImportResultWithTokenAnswer],
        Field(description="The results, in the same order as the rows."),
    ]
