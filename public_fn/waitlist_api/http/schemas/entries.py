"""Request and response bodies of signups and entries, for customers and operators."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema
from typing_extensions import TypeAliasType

from waitlist_api.auth.credentials import CODE, TOKEN
from waitlist_api.http.polling import LONGEST_SECONDS
from waitlist_api.http.schemas.attributes import Attributes, Profile
from waitlist_api.http.schemas.common import (
    Body,
    Count,
    Model,
    Rank,
    Reason,
    TheCursor,
    TheCustomerId,
    TheEntryId,
    Time,
    UtcTime,
    documented,
    extensible,
)
from waitlist_api.http.schemas.segments import SegmentPlaceAnswer
from waitlist_api.http.schemas.wait import WithEstimate
from waitlist_api.records.entry import Status
from waitlist_shared import contracts as c
from waitlist_shared import ids
from waitlist_shared.limits import (
    MAX_COMBINATIONS,
    MAX_NOT_READY_REASONS,
    MAX_PAGE,
    MAX_PLACES,
    MAX_PRIORITY,
)

CustomerId = Annotated[
    str,
    Field(
        pattern=f"^{ids.CUSTOMER_ID}$",
        description="Your own id of the customer. The service treats it as an opaque string of "
        "visible ASCII characters.",
        examples=["customer-0001"],
    ),
]


Priority = Annotated[int, documented(minimum=0, maximum=MAX_PRIORITY)]
Position = Annotated[int, documented(minimum=1)]
STATUS_MEANINGS: dict[Status, str] = {
    "joining": "the signup is in progress, and the entry has no position yet",
    "waiting": "the entry is in the queue",
    "offered": "a claim holds the entry for a limited time, or, if `offered_until` is set, the "
    "customer has an offer",
    "parked": "the entry is set aside until an operator redrives it",
    "leaving": "the entry is being removed",
    "left": "the customer has left, or an operator has removed them",
    "admitted": "the customer has been admitted",
}
# The type has a name so that the OpenAPI document has a component for it.
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
    Field(default_factory=dict, description="Data for operators to read, at most 8 KB."),
]
SignupAttributes = Annotated[
    Attributes,
    Field(
        default_factory=dict,
        description="Names with one or several values each, for filters of claims. Values are "
        "normalized to composed Unicode (NFC), so that both ways to type an é are equal.",
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
        description=f"Data for operators to read.{GUEST_LIMITS}only the fields that it keeps "
        "in the profile are allowed.",
    ),
]
GuestAttributes = Annotated[
    SignupAttributes,
    Field(
        description="Names with one or several values each, for filters of claims. Values are "
        f"normalized to composed Unicode (NFC).{GUEST_LIMITS}only the fields that it keeps as "
        "attributes, and the attributes of the segments, are allowed.",
    ),
]


BOT_TOKEN = r"[A-Za-z0-9._-]{1,8192}"  # noqa: S105


class SignupBody(Body):
    """The signup of a guest.

    The guest is identified by `customer_id`, or by the address that the waitlist asks for.
    """

    customer_id: Annotated[
        CustomerId | None,
        Field(
            description="Your own id of the customer. It is required unless the waitlist has "
            "`identity`. In that case leave it out, and send the field that `identity` names in "
            "the `profile`."
        ),
    ] = None
    profile: GuestProfile
    attributes: GuestAttributes
    bot_token: Annotated[
        str | None,
        Field(
            pattern=f"^{BOT_TOKEN}$",
            description="The token that the widget of the waitlist's `bot_check` made. A new "
            "entry needs the token if the waitlist has a bot check. Otherwise it is ignored. Each "
            "token is valid for one signup. Once the entry exists, a repeat with the same "
            "Idempotency-Key needs no token, unless the waitlist verifies addresses.",
        ),
    ] = None


class OwnSignupBody(Body):
    """The signup of a customer whose token identifies them."""

    customer_id: Annotated[
        CustomerId | None, Field(description="The `sub` of the token. Any other id is refused.")
    ] = None
    profile: GuestProfile
    attributes: GuestAttributes


class ChoiceBody(Body):
    """A body that the OpenAPI document shows as a choice between named bodies.

    The service validates the fields of all choices together, so that one error lists all missing
    and unknown fields. The bodies have names, because client generators drop or number a choice
    between bodies without names.
    """

    @classmethod
    def choices(cls) -> tuple[type[BaseModel], ...]:
        """Return the bodies to choose from."""
        raise NotImplementedError

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        described = handler(core_schema)
        choices = [{"$ref": f"#/components/schemas/{choice.__name__}"} for choice in cls.choices()]
        return {
            "description": handler.resolve_ref_schema(described)["description"],
            "anyOf": choices,
        }


NewProfile = Annotated[Profile, Field(description="The whole new profile, at most 8 KB.")]
NewAttributes = Annotated[
    Attributes,
    Field(
        description="All new attributes, which replace the stored attributes. The entry's "
        "segments change with the attributes, and its position stays.",
        examples=[{"language": ["English", "Spanish"]}],
    ),
]


class EditProfileBody(Body):
    """A new profile, and optionally new attributes."""

    profile: NewProfile
    attributes: Annotated[NewAttributes, Field(default=None)]
    reason: Reason = ""


class EditAttributesBody(Body):
    """New attributes, and optionally a new profile."""

    attributes: NewAttributes
    profile: Annotated[NewProfile, Field(default=None)]
    reason: Reason = ""


class EditBody(ChoiceBody):
    """A new profile, new attributes, or both. A field that is left out stays unchanged."""

    profile: Annotated[NewProfile, Field(default=None)]
    attributes: Annotated[NewAttributes, Field(default=None)]
    reason: Reason = ""

    @classmethod
    def choices(cls) -> tuple[type[BaseModel], ...]:
        return EditProfileBody, EditAttributesBody

    @model_validator(mode="after")
    def _some_change(self) -> Self:
        if not self.model_fields_set & {"profile", "attributes"}:
            raise ValueError("must have profile, attributes or both")
        return self


NewPriority = Annotated[
    int,
    Field(
        ge=0,
        le=MAX_PRIORITY,
        description="Entries with a higher priority are served first. Within a priority the time "
        "of signup decides. Earlier bumps of the entry no longer count.",
    ),
]
PlacesAhead = Annotated[
    int,
    Field(
        ge=1,
        le=MAX_PLACES,
        description="How many entries to pass. The entry moves ahead by exactly this number, but "
        "not beyond the head of its own priority. If no rank is free at the target, the entry "
        "moves further ahead to the next free rank. This can happen after many bumps to the same "
        "place, or if entries signed up faster than 2,000 a second. The field `moved` of the "
        "response has the actual number. The request needs an Idempotency-Key.",
    ),
]
EndOfLine = Annotated[
    Literal["front", "back"],
    Field(
        description="`front` moves the entry to the head of its own priority. `back` moves it "
        "behind all entries, at priority 0, like a signup at this moment, but `joined_at` stays."
    ),
]


class BumpByPriority(Body):
    """Move an entry to another priority."""

    priority: NewPriority
    reason: Reason = ""


class BumpByPlaces(Body):
    """Move an entry ahead by a number of entries."""

    places: PlacesAhead
    reason: Reason = ""


class BumpToEnd(Body):
    """Move an entry to the front of its priority, or to the end of the queue."""

    to: EndOfLine
    reason: Reason = ""


class BumpBody(ChoiceBody):
    """Where to move an entry. Send exactly one of `priority`, `places` and `to`."""

    priority: NewPriority | None = None
    places: PlacesAhead | None = None
    to: EndOfLine | None = None
    reason: Reason = ""

    @classmethod
    def choices(cls) -> tuple[type[BaseModel], ...]:
        return BumpByPriority, BumpByPlaces, BumpToEnd

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if sum(value is not None for value in (self.priority, self.places, self.to)) != 1:
            raise ValueError("must have exactly one of priority, places and to")
        return self


class RemoveBody(Body):
    reason: Reason = ""
    ban: Annotated[
        bool,
        Field(
            description="Whether to ban the customer, so that later signups and imports of the "
            "customer are refused with `banned`. The entry may be in any state. An admitted "
            "customer stays admitted and inside. A customer who was never on the waitlist gets a "
            "record without a stay."
        ),
    ] = False


class UnbanBody(Body):
    reason: Reason = ""
    banned_at: Annotated[
        UtcTime | None,
        Field(
            description="The `banned_at` of the ban to end. Send it so that a request that "
            "arrives late does not end a later ban. By default the current ban ends.",
            examples=["2026-12-01T09:10:00.000Z"],
        ),
    ] = None


class OwnDataBody(Body):
    """The changes of one's own data. The profile is a JSON Merge Patch (RFC 7396)."""

    profile: Annotated[
        Profile,
        Field(
            default_factory=dict,
            description="The fields to change. Other fields stay unchanged, and `null` removes a "
            "field. If the waitlist's `page` has `fields`, only these fields are allowed. The "
            "whole profile may have at most `max_guest_bytes`.",
            examples=[{"name": "Ada L.", "note": None}],
        ),
    ]
    messages: Annotated[
        Literal["on", "off"] | None,
        Field(
            description="Send `off` to get no more messages in this stay, except messages that "
            "the customer asks for, such as a link. Refused if the waitlist has no `messages`."
        ),
    ] = None


class OwnDataAnswer(Model):
    entry_id: TheEntryId
    profile: Annotated[
        dict[str, Any],
        Field(
            description="The customer's own profile after the change. It has the fields of the "
            "waitlist's form. If the waitlist has no form, it has the fields that the request "
            "named."
        ),
    ]
    messages: Annotated[
        Literal["on", "off"] | None,
        Field(
            exclude_if=lambda messages: messages is None,
            description="Whether the customer gets the messages of the waitlist in this stay. "
            "Left out if the waitlist sends no messages.",
        ),
    ] = None


class NewAddressAnswer(OwnDataAnswer):
    """The response to a new address, which is the same whether or not another entry has it."""

    status: Literal["check_your_inbox"] = "check_your_inbox"


class AddressBody(Body):
    """The address that identifies a person on a waitlist with `identity`."""

    email: Annotated[str, Field(default=None, max_length=320, examples=["ada@example.com"])]
    phone: Annotated[str, Field(default=None, max_length=320, examples=["+49 30 901820"])]


class RestBody(Body):
    """Rest until a given time, so that other customers are served first."""

    until: Annotated[
        UtcTime,
        Field(
            description="When the entry becomes ready again, at its place. The time must be in "
            "the future, and within the `max_days` of the waitlist's `rest`.",
            examples=["2026-12-24T09:00:00.000Z"],
        ),
    ]


class ResumeBody(Body):
    """End a rest."""

    rest_until: Annotated[
        UtcTime,
        Field(
            description="The `rest_until` of the rest to end. It is required so that a request "
            "that arrives late or twice does not end the next rest.",
            examples=["2026-12-24T09:00:00.000Z"],
        ),
    ]


class ReadyBody(Body):
    """Whether the entry is ready or held back by an operator."""

    ready: Annotated[
        bool,
        Field(
            description="`false` holds the entry back without an end, so that it keeps its place "
            "and other entries are served first. `true` stops holding it back, but does not end a "
            "rest of the customer."
        ),
    ]
    reason: Reason = ""


class VerifyEntryBody(Body):
    """The confirmation that an operator has checked who owns the address."""

    reason: Reason = ""
    joined_at: Annotated[
        UtcTime | None,
        Field(
            description="The `joined_at` of the stay. Send it so that a request that arrives late "
            "does not verify a later stay. By default the current stay is verified.",
            examples=["2026-12-01T09:10:00.000Z"],
        ),
    ] = None


class ReinstateBody(Body):
    reason: Reason = ""


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
        Field(description="How many entries wait. Null if the number is hidden or unknown."),
    ]
    priority: Priority
    joined_at: Time | None
    offered_until: Annotated[
        Time | None,
        Field(
            description="Until when the customer can accept the offer with `enter`. Null if the "
            "customer has no offer. A claim by an operator is not an offer."
        ),
    ] = None


class BumpAnswer(EntryAnswer):
    moved: Annotated[
        int | None,
        Field(
            description="By how many positions the entry moved towards the head. The number is "
            "negative if it moved back. A repeat returns the number of the first request, or null "
            "if the number was lost."
        ),
    ]


NOT_READY_MEANINGS: dict[c.NotReadyReason, str] = {
    "resting": "the customer is resting until `rest_until`, or until they `resume`",
    "held_back": "an operator holds the entry back until they set it to `ready`",
    "delayed": "the entry was released with `delay_seconds`, and the delay has not ended",
    "unverified": "the customer has not verified the address yet",
}
# The type has a name so that the OpenAPI document has a component for it.
NotReadyReason = TypeAliasType(
    "NotReadyReason",
    Annotated[
        str,
        Field(json_schema_extra=extensible("Why an entry is not ready.", dict(NOT_READY_MEANINGS))),
    ],
)


class WithReadiness(Model):
    """Whether a waiting entry can be taken.

    Other entries are served before an entry that is not ready.
    """

    ready: Annotated[
        bool | None,
        Field(
            description="Whether the policy, `admit` and claims may take the entry when it is its "
            "turn. Null if the entry is not waiting."
        ),
    ] = None
    not_ready: Annotated[
        Annotated[list[NotReadyReason], documented(maxItems=MAX_NOT_READY_REASONS)] | None,
        Field(description="Why the entry is not ready. Null unless `ready` is false."),
    ] = None
    ready_ahead: Annotated[
        Count | None,
        Field(
            description="How many entries ahead are ready. `position` also counts entries ahead "
            "that rest or are held back, so it does not change when such an entry becomes ready "
            "again. Null if the entry is not waiting."
        ),
    ] = None
    rest_until: Annotated[
        Time | None,
        Field(
            description="When the rest ends and the entry becomes ready. Null if "
            "the customer is not resting."
        ),
    ] = None
    delayed_until: Annotated[
        Time | None,
        Field(
            description="When the delay of a release with `delay_seconds` ends and the entry "
            "becomes ready. Null if the entry is not delayed."
        ),
    ] = None
    confirm_by: Annotated[
        Time | None,
        Field(
            description="Until when the customer should `confirm` that they still wait. Null if "
            "there is no open question, or if the entry is not waiting."
        ),
    ] = None


class CustomersEntryAnswer(EntryAnswer, WithReadiness, WithEstimate):
    """An entry for its customer.

    The estimate of a waiting entry depends on the ready entries ahead.
    """

    rank: Annotated[
        Rank | None,
        Field(
            description="The number that orders the queue. Entries with a lower rank are served "
            "first. The board says which position each rank has. Null if the entry is not waiting."
        ),
    ]
    poll_after_seconds: Annotated[
        PollSeconds | None,
        Field(
            description="After how many seconds to ask again. It is 1 second for the first 20 "
            "positions and one more second for each further 20 positions, up to 300 seconds. If "
            "the response has several positions, the lowest position counts. If the entry is not "
            "ready, it is 5 to 60 seconds, or the time until the entry is ready. Null if the "
            "customer has left or was admitted."
        ),
    ]


class RestAnswer(CustomersEntryAnswer):
    rests_left: Annotated[
        Count | None,
        Field(
            description="How often the customer may still rest in this stay. Null if the waitlist "
            "no longer has `rest`."
        ),
    ]


class LookAnswer(CustomersEntryAnswer):
    segments: Annotated[
        Annotated[list[SegmentPlaceAnswer], documented(maxItems=MAX_COMBINATIONS)] | None,
        Field(
            description="The positions within the requested segments, one for each of the entry's "
            "values. Empty if the entry is not waiting or has no such attribute. Null if the "
            "request has no `segment`."
        ),
    ]
    entry_token: Annotated[
        EntryToken | None,
        Field(
            description="A new token that replaces the token of the request, whose signing key "
            "will expire. Null if the token of the request stays valid."
        ),
    ] = None


class SignupAnswer(CustomersEntryAnswer):
    entry_token: Annotated[
        EntryToken,
        Field(
            description="Send this token as Authorization: Bearer to get the entry and to leave."
        ),
    ]


class InboxAnswer(Model):
    """The response of a waitlist that verifies addresses, which is the same for every address."""

    status: Literal["check_your_inbox"] = "check_your_inbox"


class VerifyBody(Body):
    """The code of a link that was sent to the address."""

    code: Annotated[
        str, Field(pattern=f"^{CODE.pattern}$", description="The part of the link after `#v=`.")
    ]


class NewAddress(Model):
    """A new address that a customer has given for the entry, and that is not verified yet."""

    to: Annotated[str, Field(examples=["ada@example.org"])]
    url: Annotated[
        str,
        Field(
            description="The URL of the customer's page, with the code (`#v=`) that moves the "
            "entry to this address. Send it only to this address."
        ),
    ]


class LinkAnswer(Model):
    url: Annotated[
        str,
        Field(
            description="The URL of the customer's page. If the address is not verified, it has "
            "the code (`#v=`) that verifies the address. Otherwise it has the id and the token of "
            "the entry (`#t=`). The URL is a secret of the customer."
        ),
    ]
    new_address: Annotated[
        NewAddress | None,
        Field(description="The new address, if the customer wants to change the address."),
    ]


class OwnSignupAnswer(CustomersEntryAnswer):
    pass


class EntryTokenAnswer(Model):
    entry_id: TheEntryId
    entry_token: Annotated[
        EntryToken,
        Field(description="The guest sends this token as Authorization: Bearer. It is a secret."),
    ]


class HistoryAnswer(Model):
    event: str
    at: Time
    by: str
    reason: str
    detail: Annotated[
        dict[str, Any],
        Field(
            description="What was asked for, the `position` afterwards, and, for a bump, by how "
            "many positions the entry `moved` towards the head. A value is missing if it is not "
            "known, for example if maintenance recorded the move. `jti` is the id of a pass. In "
            "the event `admitted` this pass begins. In `exited`, or in the next stay's `joined`, "
            "this pass must be refused from then on."
        ),
    ]


class AdminEntryAnswer(EntryAnswer, WithReadiness):
    rank: Annotated[
        Rank | None,
        Field(
            description="The number that orders the queue. Entries with a lower rank are served "
            "first. Import an entry with this rank to give it the same place in another waitlist. "
            "Null if the entry has no place."
        ),
    ] = None
    held_back_reason: str | None = None
    messages_off: Annotated[
        bool,
        Field(description="Whether the customer only wants messages that they ask for."),
    ] = False
    unreachable: Annotated[
        bool,
        Field(
            description="Whether the address accepts no messages, because a mail bounced "
            "permanently or the recipient complained."
        ),
    ] = False
    language: Annotated[
        str | None,
        Field(
            description="The language of messages to the customer. Null if the customer gets "
            "the language of the waitlist."
        ),
    ] = None
    asked_at: Annotated[
        Time | None,
        Field(description="When the customer was last asked whether they still wait."),
    ] = None
    confirmed_at: Annotated[
        Time | None, Field(description="When the customer last confirmed that they still wait.")
    ] = None
    attempts: Count
    claimed_until: Annotated[
        Time | None,
        Field(
            description="The deadline of the claim. An offer has `offered_until` instead, and "
            "null here."
        ),
    ]
    parked_at: Time | None
    park_reason: str | None
    admitted_at: Time | None
    inside_until: Annotated[
        Time | None,
        Field(description="When the pass ends. Null if the customer got no pass."),
    ]
    room_until: Annotated[
        Time | None,
        Field(
            description="Until when the customer counts for `max_inside`. This is the end of the "
            "pass. If `customer_exit` is `frees_at_end`, it stays the end of the pass after the "
            "customer's own exit. Null if the customer does not count, or no longer counts."
        ),
    ]
    exited_at: Annotated[Time | None, Field(description="When the customer went out.")]
    left_at: Annotated[
        Time | None,
        Field(
            description="When the stay ended. Null if the stay has not ended. Also null for a "
            "customer who was banned without ever having been on the waitlist. Their `status` is "
            "`left`, and their `joined_at` is null."
        ),
    ]
    banned_at: Annotated[
        Time | None,
        Field(description="When the customer was banned. Null if the customer is not banned."),
    ]
    ban_reason: str | None
    customer_id: TheCustomerId | None
    profile: dict[str, Any]
    attributes: dict[str, Any]


class AdminEntryWithHistoryAnswer(AdminEntryAnswer):
    created_at: Annotated[Time, Field(description="When the customer signed up for this stay.")]
    by_guest: Annotated[
        bool,
        Field(
            description="Whether the signup came without proof of who the customer is. It is "
            "false if the signup had a token of an OIDC issuer, or came from an operator."
        ),
    ]
    updated_at: Time
    expires_at: Annotated[
        Time | None,
        Field(description="When the record and its history are deleted. Null if they are kept."),
    ]
    history: Annotated[list[HistoryAnswer], documented(maxItems=MAX_PAGE)]
    cursor: Annotated[
        TheCursor | None,
        Field(description="The cursor of the next page of the history. Null after the last page."),
    ]


class EntriesAnswer(Model):
    entries: Annotated[list[AdminEntryAnswer], documented(maxItems=MAX_PAGE)]
    cursor: TheCursor | None
