"""Request and response bodies for signups."""

from typing import Annotated, Literal

from pydantic import Field

from waitlist_api.http.schemas.attributes import Attributes, Profile
from waitlist_api.http.schemas.common import Body, Model
from waitlist_api.http.schemas.entries import CustomersEntryAnswer, EntryToken
from waitlist_shared import ids

CustomerId = Annotated[
    str,
    Field(
        pattern=f"^{ids.CUSTOMER_ID}$",
        description="Your own id for the customer. Any visible ASCII characters are allowed.",
        examples=["customer-0001"],
    ),
]
SignupProfile = Annotated[
    Profile,
    Field(default_factory=dict, description="Any data that operators want to see, up to 8 KB."),
]
SignupAttributes = Annotated[
    Attributes,
    Field(
        default_factory=dict,
        description="Attributes that claims can filter by. Each attribute has one or more values, "
        "which are normalized to Unicode NFC.",
        examples=[{"language": ["English", "Spanish"]}],
    ),
]
GUEST_LIMITS = (
    " `profile` and `attributes` together may have at most `max_guest_bytes` bytes, which is 2,048 "
    "unless an operator has changed it. If the waitlist's `page` has `fields`, "
)
GuestProfile = Annotated[
    SignupProfile,
    Field(
        description=f"Any data that operators want to see.{GUEST_LIMITS}only the fields that "
        "are stored in the profile are allowed.",
    ),
]
GuestAttributes = Annotated[
    SignupAttributes,
    Field(
        description="Attributes that claims can filter by. Each attribute has one or more values, "
        f"which are normalized to Unicode NFC.{GUEST_LIMITS}only the fields that are stored as "
        "attributes, and the segments' attributes, are allowed.",
    ),
]
BOT_TOKEN = r"[A-Za-z0-9._-]{1,8192}"  # noqa: S105


class SignupBody(Body):
    """A guest's signup.

    A guest is identified by a `customer_id`, or by the address that the waitlist asks for.
    """

    customer_id: Annotated[
        CustomerId | None,
        Field(
            description="Your own id for the customer. If the waitlist has `identity` set, leave "
            "this field out, and send the address in the `profile`. Otherwise this field is "
            "required."
        ),
    ] = None
    profile: GuestProfile
    attributes: GuestAttributes
    bot_token: Annotated[
        str | None,
        Field(
            pattern=f"^{BOT_TOKEN}$",
            description="The token from the waitlist's bot-check widget. If the waitlist has a "
            "bot check, a signup that creates a new entry must contain a token, and each token "
            "is valid for one signup. To retry a signup, send the same Idempotency-Key. The "
            "retry can reuse the token, except on waitlists that verify addresses.",
        ),
    ] = None


class OwnSignupBody(Body):
    """A signup by a customer who has an account.

    The OIDC token identifies the customer.
    """

    customer_id: Annotated[
        CustomerId | None,
        Field(
            description="Leave this field out, or send the `sub` claim of the customer's OIDC "
            "token. Any other value is refused."
        ),
    ] = None
    profile: GuestProfile
    attributes: GuestAttributes


class SignupAnswer(CustomersEntryAnswer):
    entry_token: Annotated[
        EntryToken,
        Field(
            description="The token for this entry. To read the entry or to leave, send the token "
            "as a bearer token in the `Authorization` header."
        ),
    ]


class InboxAnswer(Model):
    """The response to a signup on a waitlist that verifies addresses.

    It is the same for every address, so that it does not reveal who is on the waitlist.
    """

    status: Literal["check_your_inbox"] = "check_your_inbox"


class OwnSignupAnswer(CustomersEntryAnswer):
    pass
