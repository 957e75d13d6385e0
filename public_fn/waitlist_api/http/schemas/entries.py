"""Request and response bodies for signups and for customers' own entries."""

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from waitlist_api.auth.credentials import CODE, TOKEN
from waitlist_api.http.polling import LONGEST_SECONDS
from waitlist_api.http.schemas.attributes import Attributes, Profile
from waitlist_api.http.schemas.call import CallAnswer, WithCallNumber
from waitlist_api.http.schemas.common import (
    Body,
    Count,
    Model,
    Rank,
    TheEntryId,
    Time,
    UtcTime,
    documented,
    extensible,
)
from waitlist_api.http.schemas.segments import SegmentPlaceAnswer
from waitlist_api.http.schemas.wait import WithEstimate
from waitlist_api.records.entry import Status
from waitlist_api.records.facets import Facet
from waitlist_shared import ids
from waitlist_shared.limits import (
    MAX_COMBINATIONS,
    MAX_NOT_READY_REASONS,
    MAX_PRIORITY,
)

CustomerId = Annotated[
    str,
    Field(
        pattern=f"^{ids.CUSTOMER_ID}$",
        description="Your own id for the customer. Any visible ASCII characters are allowed.",
        examples=["customer-0001"],
    ),
]


Priority = Annotated[int, documented(minimum=0, maximum=MAX_PRIORITY)]
Position = Annotated[int, documented(minimum=1)]
STATUS_MEANINGS: dict[Status, str] = {
    "joining": "the signup is in progress, and the entry has no position yet",
    "waiting": "the entry is in the queue",
    "offered": "if `offered_until` is set, the customer has an offer. Otherwise an operator has "
    "claimed the entry for a limited time",
    "parked": "the entry is set aside until an operator redrives it",
    "leaving": "the entry is being removed",
    "left": "the customer has left, or an operator has removed them",
    "admitted": "the customer has been admitted",
}
# The type has a name so that it becomes a component of the OpenAPI document.
EntryStatus = TypeAliasType(
    "EntryStatus",
    Annotated[
        str,
        Field(json_schema_extra=extensible("The state of an entry.", STATUS_MEANINGS)),
    ],
)
PollSeconds = Annotated[int, documented(minimum=1, maximum=LONGEST_SECONDS)]
EntryToken = Annotated[str, documented(pattern=f"^{TOKEN.pattern}$")]
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


class OwnDataBody(Body):
    """Changes that customers make to their own data.

    `profile` is a JSON Merge Patch (RFC 7396), which contains only the fields to change.
    """

    profile: Annotated[
        Profile,
        Field(
            default_factory=dict,
            description="The profile fields to change. `null` removes a field, and fields that are "
            "left out stay unchanged. If the waitlist's `page` setting contains `fields`, only "
            "these fields are allowed. The waitlist's `max_guest_bytes` setting limits the size of "
            "the whole profile.",
            examples=[{"name": "Ada L.", "note": None}],
        ),
    ]
    messages: Annotated[
        Literal["on", "off"] | None,
        Field(
            description="Send `off` to turn off messages until the customer leaves or is "
            "admitted. Messages that the customer requests are still sent. The request is refused "
            "if the waitlist has no `messages`."
        ),
    ] = None


class OwnDataAnswer(Model):
    entry_id: TheEntryId
    profile: Annotated[
        dict[str, Any],
        Field(
            description="The customer's profile after the change. If the waitlist has a signup "
            "form, only the fields of the form are included. Otherwise, only the fields in the "
            "request are included."
        ),
    ]
    messages: Annotated[
        Literal["on", "off"] | None,
        Field(
            exclude_if=lambda messages: messages is None,
            description="Whether the customer receives the waitlist's messages. Left out if the "
            "waitlist sends no messages.",
        ),
    ] = None
    messages_to: Annotated[
        Literal["email", "phone"] | None,
        Field(
            exclude_if=lambda field: field is None,
            description="The profile field with the address that the waitlist's messages are sent "
            "to. Left out if the customer cannot receive messages, for example because the country "
            "of the phone number is unknown.",
        ),
    ] = None


class NewAddressAnswer(OwnDataAnswer):
    """The response to a request to change the address.

    It does not reveal whether another entry has the new address.
    """

    status: Literal["check_your_inbox"] = "check_your_inbox"


class AddressBody(Body):
    """The address that identifies a customer, if the waitlist has the `identity` setting."""

    email: Annotated[str, Field(default=None, max_length=320, examples=["ada@example.com"])]
    phone: Annotated[str, Field(default=None, max_length=320, examples=["+49 30 901820"])]


class RestBody(Body):
    """A customer's request to let others pass, which means that other customers are served first
    until a given time.
    """

    until: Annotated[
        UtcTime,
        Field(
            description="When the customer stops letting others pass. The entry then becomes ready "
            "again, unless there is another reason why it is not ready. The time must be in the "
            "future, and at most as many days away as the waitlist's `rest.max_days` setting "
            "allows.",
            examples=["2026-12-24T09:00:00.000Z"],
        ),
    ]


class ResumeBody(Body):
    """A request to stop letting others pass."""

    rest_until: Annotated[
        UtcTime,
        Field(
            description="The `rest_until` that you last read for this entry. If the customer is no "
            "longer letting others pass, or has since chosen a different time, the request changes "
            "nothing.",
            examples=["2026-12-24T09:00:00.000Z"],
        ),
    ]


class EntryAnswer(Model):
    entry_id: TheEntryId
    status: EntryStatus
    position: Annotated[
        Position | None,
        Field(
            description="1 + the number of entries ahead. Entries whose address is not verified "
            "yet are not counted. Null if the entry is not waiting."
        ),
    ]
    total: Annotated[
        Count | None,
        Field(
            description="The number of waiting entries. Null if the waitlist hides this number or "
            "the number is unknown."
        ),
    ]
    priority: Priority
    joined_at: Time | None
    offered_until: Annotated[
        Time | None,
        Field(
            description="The deadline for accepting the offer with `enter`. Null if the customer "
            "has no offer, for example because an operator has claimed the entry."
        ),
    ] = None


NOT_READY_MEANINGS = {
    **{name: facet.REASONS[name] for facet in Facet.__subclasses__() for name in facet.REASONS},
    # Redis sets this reason itself, so no facet contains it.
    "away": "the customer has stopped polling, until the customer's next poll",
}
# The type has a name so that it becomes a component of the OpenAPI document.
NotReadyReason = TypeAliasType(
    "NotReadyReason",
    Annotated[
        str,
        Field(json_schema_extra=extensible("Why an entry is not ready.", NOT_READY_MEANINGS)),
    ],
)


class WithReadiness(Model):
    """Whether a waiting entry can be served. Entries that are not ready are passed over."""

    ready: Annotated[
        bool | None,
        Field(
            description="Whether the entry can be offered a slot, admitted or claimed when its "
            "turn comes. Null if the entry is not waiting."
        ),
    ] = None
    not_ready: Annotated[
        Annotated[list[NotReadyReason], documented(maxItems=MAX_NOT_READY_REASONS)] | None,
        Field(
            description="Why the entry is not ready. Null if the entry is ready or is not waiting."
        ),
    ] = None
    ready_ahead: Annotated[
        Count | None,
        Field(
            description="How many of the entries ahead are ready. The estimated wait is based on "
            "this number. `position` also counts entries that are not ready. Null if the entry is "
            "not waiting."
        ),
    ] = None
    rest_until: Annotated[
        Time | None,
        Field(
            description="When the customer stops letting others pass. The entry then becomes ready "
            "again, unless there is another reason why it is not ready. Null if the customer is "
            "not letting others pass."
        ),
    ] = None
    delayed_until: Annotated[
        Time | None,
        Field(
            description="When the entry's delay ends. An entry is delayed when an operator "
            "releases its claim with `delay_seconds`, or when the customer declines an offer and "
            "may keep their position. Null if the entry is not delayed."
        ),
    ] = None
    confirm_by: Annotated[
        Time | None,
        Field(
            description="The deadline for the customer to `confirm` that they are still waiting. "
            "Null if the customer has not been asked, or if the entry is not waiting."
        ),
    ] = None


class CustomersEntryAnswer(EntryAnswer, WithReadiness, WithEstimate, WithCallNumber):
    """An entry, as its customer sees it."""

    rank: Annotated[
        Rank | None,
        Field(
            description="The number that the queue is sorted by. Entries with a lower rank are "
            "served first. To find an entry's position, look up its rank in the waitlist's board. "
            "Null if the entry is not waiting."
        ),
    ]
    poll_after_seconds: Annotated[
        PollSeconds | None,
        Field(
            description="How many seconds to wait before polling again: 1 near the head of the "
            "queue, and up to 300 further back. At most 60 if the entry is not ready. Null if the "
            "customer has left or was admitted."
        ),
    ]
    call: Annotated[
        CallAnswer | None,
        Field(
            description="When an operator last called the customer, and where the customer "
            "should go. Null if the entry is not claimed, or if nobody has called the customer."
        ),
    ] = None


class RestAnswer(CustomersEntryAnswer):
    rests_left: Annotated[
        Count | None,
        Field(
            description="How many more times the customer may let others pass. Null if the "
            "waitlist no longer has the `rest` setting."
        ),
    ]


class DeclineAnswer(CustomersEntryAnswer):
    declines_left: Annotated[
        Count | None,
        Field(
            description="How many more offers the customer can decline without losing their "
            "position. Null if declining always costs them their position, or if they have left."
        ),
    ] = None


class LookAnswer(CustomersEntryAnswer):
    segments: Annotated[
        Annotated[list[SegmentPlaceAnswer], documented(maxItems=MAX_COMBINATIONS)] | None,
        Field(
            description="The entry's positions within the requested segment. An entry with several "
            "values for an attribute has several positions. Empty if the entry is not waiting, or "
            "has no values for the segment's attributes. Null if the request has no `segment`."
        ),
    ]
    entry_token: Annotated[
        EntryToken | None,
        Field(
            description="A new token that replaces the one in the request, because the old token's "
            "signing key will expire. Null if the token in the request remains valid."
        ),
    ] = None


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


class VerifyBody(Body):
    """The code from the verification link that was sent to the customer's address."""

    code: Annotated[
        str, Field(pattern=f"^{CODE.pattern}$", description="The part of the link after `#v=`.")
    ]


class OwnSignupAnswer(CustomersEntryAnswer):
    pass
