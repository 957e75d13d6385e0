"""Signups and entries: the bodies of customers' and operators' requests and responses."""

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
        description="The client's id of the customer: opaque, visible ASCII characters.",
        examples=["customer-0001"],
    ),
]


Priority = Annotated[int, documented(minimum=0, maximum=MAX_PRIORITY)]
Position = Annotated[int, documented(minimum=1)]
STATUS_MEANINGS: dict[Status, str] = {
    "joining": "the signup is under way; the entry has no position yet",
    "waiting": "the entry is in the queue",
    "offered": "a claim holds the entry for a limited time, or, with `offered_until`, a place is "
    "offered to the customer",
    "parked": "the entry is set aside until an operator redrives it",
    "leaving": "the entry is being removed",
    "left": "the customer has left, or an operator has removed them",
    "admitted": "the customer was admitted",
}
# A named type, so that the OpenAPI document has a component for it.
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
        description="Names with one or several values each, for claims by filter. Values are "
        "stored as composed Unicode (NFC), so that two ways to type an é are equal.",
        examples=[{"language": ["English", "Spanish"]}],
    ),
]


OF_GUESTS = (
    " `profile` and `attributes` have together at most `max_guest_bytes` of the waitlist, 2,048 "
    "unless an operator has changed it. If its `page` has `fields`, "
)
GuestProfile = Annotated[
    SignupProfile,
    Field(
        description=f"Data for operators to read.{OF_GUESTS}those kept in the profile alone.",
    ),
]
GuestAttributes = Annotated[
    SignupAttributes,
    Field(
        description="Names with one or several values each, for claims by filter. Values are "
        f"stored as composed Unicode (NFC).{OF_GUESTS}those kept as attributes, and the names in "
        "the segments, alone.",
    ),
]


BOT_TOKEN = r"[A-Za-z0-9._-]{1,8192}"  # noqa: S105


class SignupBody(Body):
    """The signup of a guest, with the id of the customer, or the address that the list asks for."""

    customer_id: Annotated[
        CustomerId | None,
        Field(
            description="The client's id of the customer. Required, but on a waitlist with "
            "`identity`: there leave it out, and send the field that it names in the `profile`."
        ),
    ] = None
    profile: GuestProfile
    attributes: GuestAttributes
    bot_token: Annotated[
        str | None,
        Field(
            pattern=f"^{BOT_TOKEN}$",
            description="What the widget of the waitlist's `bot_check` made. Required for a new "
            "entry where there is such a check, and ignored where there is none. A token is good "
            "for one signup. A repeat with the same Idempotency-Key is answered without it, once "
            "the entry is there, but on a waitlist that verifies addresses.",
        ),
    ] = None


class OwnSignupBody(Body):
    """The signup of a customer whose token identifies them."""

    customer_id: Annotated[
        CustomerId | None, Field(description="The token's `sub`; any other id is refused.")
    ] = None
    profile: GuestProfile
    attributes: GuestAttributes


class OneOf(Body):
    """A body that the OpenAPI document shows as a choice between named bodies.

    It validates the fields of all choices together, so that one error lists what is missing or too
    much. Client generators drop or number a choice whose bodies have no names.
    """

    @classmethod
    def choices(cls) -> tuple[type[BaseModel], ...]:
        """Return the named bodies of the choice."""
        raise NotImplementedError

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        described = handler(core_schema)
        choices = [{"$ref": f"#/components/schemas/{one.__name__}"} for one in cls.choices()]
        return {
            "description": handler.resolve_ref_schema(described)["description"],
            "anyOf": choices,
        }


NewProfile = Annotated[Profile, Field(description="The whole new profile, at most 8 KB.")]
NewAttributes = Annotated[
    Attributes,
    Field(
        description="All attributes; they replace the former ones. The segments change with them, "
        "the position stays.",
        examples=[{"language": ["English", "Spanish"]}],
    ),
]


class EditProfileBody(Body):
    """A new profile, and new attributes if they change too."""

    profile: NewProfile
    attributes: Annotated[NewAttributes, Field(default=None)]
    reason: Reason = ""


class EditAttributesBody(Body):
    """New attributes, and a new profile if it changes too."""

    attributes: NewAttributes
    profile: Annotated[NewProfile, Field(default=None)]
    reason: Reason = ""


class EditBody(OneOf):
    """A new profile, new attributes or both; a field that is left out stays unchanged."""

    profile: Annotated[NewProfile, Field(default=None)]
    attributes: Annotated[NewAttributes, Field(default=None)]
    reason: Reason = ""

    @classmethod
    def choices(cls) -> tuple[type[BaseModel], ...]:
        return EditProfileBody, EditAttributesBody

    @model_validator(mode="after")
    def _some_change(self) -> Self:
        if not self.model_fields_set & {"profile", "attributes"}:
            raise ValueError("give a profile, attributes or both")
        return self


NewPriority = Annotated[
    int,
    Field(
        ge=0,
        le=MAX_PRIORITY,
        description="Higher is served first. Within a priority the time of signup decides; earlier "
        "bumps no longer count.",
    ),
]
PlacesAhead = Annotated[
    int,
    Field(
        ge=1,
        le=MAX_PLACES,
        description="How many entries to pass: exactly this number, but not beyond the head of the "
        "entry's own priority. If no rank is free between the two entries at the target (after "
        "many bumps to the same spot, or among signups that came faster than 2,000 a second), the "
        "entry passes more, up to the next free rank; `moved` in the answer has the number. Needs "
        "an Idempotency-Key.",
    ),
]
EndOfLine = Annotated[
    Literal["front", "back"],
    Field(
        description="`front`: the head of the entry's own priority. `back`: behind all entries, "
        "at priority 0, like a signup at this moment; `joined_at` stays."
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


class BumpBody(OneOf):
    """Where to move an entry: exactly one of `priority`, `places` and `to`."""

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
            raise ValueError("give exactly one of priority, places and to")
        return self


class RemoveBody(Body):
    reason: Reason = ""
    ban: Annotated[
        bool,
        Field(
            description="Whether later signups and imports of the customer are refused: `banned`. "
            "The entry may be in any state, or unknown: a customer who was admitted stays "
            "admitted, and inside; one who was never on the waitlist gets a record without a stay."
        ),
    ] = False


class UnbanBody(Body):
    reason: Reason = ""
    banned_at: Annotated[
        UtcTime | None,
        Field(
            description="`banned_at` of the ban that ends: send it, so that a request that arrives "
            "late does not end a later ban. Default: the ban that the customer has.",
            examples=["2026-12-01T09:10:00.000Z"],
        ),
    ] = None


class OwnDataBody(Body):
    """What changes in one's own data; the profile by JSON Merge Patch (RFC 7396)."""

    profile: Annotated[
        Profile,
        Field(
            default_factory=dict,
            description="The fields to change: the others stay, `null` takes one out. The fields "
            "of the list's form alone, where its `page` has `fields`; at most `max_guest_bytes` "
            "with what stays.",
            examples=[{"name": "Ada L.", "note": None}],
        ),
    ]
    messages: Annotated[
        Literal["on", "off"] | None,
        Field(
            description="`off`: no more messages in this stay but those that the customer asks "
            "for, such as a link. Refused if the waitlist has no `messages`."
        ),
    ] = None


class OwnDataAnswer(Model):
    entry_id: TheEntryId
    profile: Annotated[
        dict[str, Any],
        Field(
            description="One's own profile as it is then: the fields of the form, or, on a list "
            "without one, those that the request has named."
        ),
    ]
    messages: Annotated[
        Literal["on", "off"] | None,
        Field(
            exclude_if=lambda messages: messages is None,
            description="Whether the customer gets the messages of the waitlist in this stay. Left "
            "out if the waitlist sends none.",
        ),
    ] = None


class NewAddressAnswer(OwnDataAnswer):
    """The answer to a new address: the same whether or not another entry has it."""

    status: Literal["check_your_inbox"] = "check_your_inbox"


class AddressBody(Body):
    """The address of a person: the field by which the waitlist's `identity` tells guests apart."""

    email: Annotated[str, Field(default=None, max_length=320, examples=["ada@example.com"])]
    phone: Annotated[str, Field(default=None, max_length=320, examples=["+49 30 901820"])]


class RestBody(Body):
    """Let others pass until a time."""

    until: Annotated[
        UtcTime,
        Field(
            description="When the entry is ready again by itself, at its place. In the future, and "
            "within the `max_days` of the waitlist's `rest`.",
            examples=["2026-12-24T09:00:00.000Z"],
        ),
    ]


class ResumeBody(Body):
    """End a rest."""

    rest_until: Annotated[
        UtcTime,
        Field(
            description="`rest_until` of the rest that is ended, so that a request that arrives "
            "late or twice does not end the next rest.",
            examples=["2026-12-24T09:00:00.000Z"],
        ),
    ]


class ReadyBody(Body):
    """Whether an operator lets an entry be taken."""

    ready: Annotated[
        bool,
        Field(
            description="`false` holds the entry back, with no end: it keeps its place and is "
            "passed over. `true` ends that, but not a rest of the customer."
        ),
    ]
    reason: Reason = ""


class VerifyEntryBody(Body):
    """An operator has proof that the address of an entry is its person's."""

    reason: Reason = ""
    joined_at: Annotated[
        UtcTime | None,
        Field(
            description="`joined_at` of the stay: send it, so that a request that arrives late "
            "does not verify a later stay. Default: the stay that there is.",
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
            description="1 + the number of entries ahead; null if not waiting. Entries that have "
            "still to verify their address are not counted."
        ),
    ]
    total: Annotated[
        Count | None, Field(description="How many entries wait; null if hidden or unknown.")
    ]
    priority: Priority
    joined_at: Time | None
    offered_until: Annotated[
        Time | None,
        Field(
            description="Until when the customer can `enter`; null if no place is offered. A "
            "claim of an operator is no offer to the customer."
        ),
    ] = None


class BumpAnswer(EntryAnswer):
    moved: Annotated[
        int | None,
        Field(
            description="By how many positions the entry came nearer to the head; negative if it "
            "moved back. A repeat returns the number of the first call, or null if that is lost."
        ),
    ]


NOT_READY_MEANINGS: dict[c.NotReadyReason, str] = {
    "resting": "the customer lets others pass until `rest_until`, or until they `resume`",
    "held_back": "an operator holds the entry back until they say that it is `ready`",
    "delayed": "a claimer released the entry with `delay_seconds`, which are not over",
    "unverified": "the customer has not yet proved to have the address",
}
# A named type, so that the OpenAPI document has a component for it.
NotReadyReason = TypeAliasType(
    "NotReadyReason",
    Annotated[
        str,
        Field(json_schema_extra=extensible("Why an entry is not ready.", dict(NOT_READY_MEANINGS))),
    ],
)


class WithReadiness(Model):
    """Whether a waiting entry can be taken: one that is not ready is passed over."""

    ready: Annotated[
        bool | None,
        Field(
            description="Whether the policy, `admit` and claims may take the entry at its turn; "
            "null if not waiting."
        ),
    ] = None
    not_ready: Annotated[
        Annotated[list[NotReadyReason], documented(maxItems=MAX_NOT_READY_REASONS)] | None,
        Field(description="Why the entry is not ready; null unless `ready` is false."),
    ] = None
    ready_ahead: Annotated[
        Count | None,
        Field(
            description="How many entries ahead are ready. `position` counts those that rest or "
            "are held back too, so the return of such an entry changes no position. Null if not "
            "waiting."
        ),
    ] = None
    rest_until: Annotated[
        Time | None, Field(description="When the entry is ready by itself; null if not resting.")
    ] = None
    delayed_until: Annotated[
        Time | None,
        Field(
            description="When the entry is ready by itself after a release with `delay_seconds`; "
            "null if it is not delayed."
        ),
    ] = None
    confirm_by: Annotated[
        Time | None,
        Field(
            description="Until when the customer is to `confirm` that they still wait; null if "
            "they are not asked, or not waiting."
        ),
    ] = None


class CustomersEntryAnswer(EntryAnswer, WithReadiness, WithEstimate):
    """An entry; the estimate is that of a waiting one, by the ready entries ahead."""

    rank: Annotated[
        Rank | None,
        Field(
            description="What orders the queue: lower is served first. The board has the positions "
            "of ranks. Null if not waiting."
        ),
    ]
    poll_after_seconds: Annotated[
        PollSeconds | None,
        Field(
            description="When to ask again: 1 s for the first 20 positions, one more second for "
            "each further 20, at most 300 s. If the answer has several positions, the lowest "
            "decides. If not ready, 5 to 60 s, or until that ends. Null if the customer has left "
            "or was admitted."
        ),
    ]


class RestAnswer(CustomersEntryAnswer):
    rests_left: Annotated[
        Count | None,
        Field(
            description="How often the customer may still rest in this stay; null if the waitlist "
            "has no `rest` any more."
        ),
    ]


class LookAnswer(CustomersEntryAnswer):
    segments: Annotated[
        Annotated[list[SegmentPlaceAnswer], documented(maxItems=MAX_COMBINATIONS)] | None,
        Field(
            description="The positions within the requested segments, one for each of the entry's "
            "values. Empty if the entry is not waiting or has no such attribute; null if the "
            "request has no `segment`."
        ),
    ]
    entry_token: Annotated[
        EntryToken | None,
        Field(
            description="A new token, to be used in place of the sent one, whose key has been "
            "replaced and will expire; null otherwise."
        ),
    ] = None


class SignupAnswer(CustomersEntryAnswer):
    entry_token: Annotated[
        EntryToken,
        Field(description="Send it as Authorization: Bearer to get the entry and to leave."),
    ]


class InboxAnswer(Model):
    """The answer of a waitlist that verifies addresses: the same for every address."""

    status: Literal["check_your_inbox"] = "check_your_inbox"


class VerifyBody(Body):
    """The code of a link that was sent to the address."""

    code: Annotated[str, Field(pattern=f"^{CODE.pattern}$", description="What follows `#v=`.")]


class NewAddress(Model):
    """The address that a customer has given in place of the present one, not verified yet."""

    to: Annotated[str, Field(examples=["ada@example.org"])]
    url: Annotated[
        str,
        Field(
            description="The customer's page with the code (`#v=`) that moves the entry to this "
            "address. Send it to this address, and nowhere else."
        ),
    ]


class LinkAnswer(Model):
    url: Annotated[
        str,
        Field(
            description="The customer's page with the code (`#v=`) of an address that is not "
            "verified, or with id and token of the entry (`#t=`). A secret of its person."
        ),
    ]
    new_address: Annotated[
        NewAddress | None,
        Field(description="The new address of an entry whose customer wants to change it."),
    ]


class OwnSignupAnswer(CustomersEntryAnswer):
    pass


class EntryTokenAnswer(Model):
    entry_id: TheEntryId
    entry_token: Annotated[
        EntryToken,
        Field(description="The guest sends it as Authorization: Bearer; a secret."),
    ]


class HistoryAnswer(Model):
    event: str
    at: Time
    by: str
    reason: str
    detail: Annotated[
        dict[str, Any],
        Field(
            description="What was asked for; `position`, the place afterwards, and of a bump "
            "`moved`, by how many positions nearer to the head. Without them where they are not "
            "known, such as a move that maintenance recorded. `jti` is the id of the pass that "
            "began with `admitted`, or that is to be refused from `exited`, or the `joined` of the "
            "next stay, on."
        ),
    ]


class AdminEntryAnswer(EntryAnswer, WithReadiness):
    rank: Annotated[
        Rank | None,
        Field(
            description="What orders the queue: lower is served first. An import puts the entry "
            "there in another waitlist. Null if the entry has no place."
        ),
    ] = None
    held_back_reason: str | None = None
    messages_off: Annotated[
        bool,
        Field(description="Whether the customer wants no messages but those that they ask for."),
    ] = False
    unreachable: Annotated[
        bool,
        Field(
            description="Whether the address takes no messages: a mail bounced for good, or its "
            "reader complained."
        ),
    ] = False
    language: Annotated[
        str | None,
        Field(description="In which language the customer gets messages; null: that of the list."),
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
        Field(description="The deadline of the claim; null for an offer, see `offered_until`."),
    ]
    parked_at: Time | None
    park_reason: str | None
    admitted_at: Time | None
    inside_until: Annotated[
        Time | None,
        Field(description="When the pass ends; null if the customer got none."),
    ]
    room_until: Annotated[
        Time | None,
        Field(
            description="Until when the person counts for `max_inside`: the end of the pass, also "
            "after the customer's own exit where `customer_exit` is `frees_at_end`. Null if the "
            "person does not, or no more."
        ),
    ]
    exited_at: Annotated[Time | None, Field(description="When the customer went out.")]
    left_at: Annotated[
        Time | None,
        Field(
            description="When the stay ended. Null also for a customer who was banned without "
            "having been on the waitlist, whose `status` is `left` and `joined_at` null."
        ),
    ]
    banned_at: Annotated[
        Time | None, Field(description="Since when the customer is banned; null otherwise.")
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
            description="Whether the signup had no proof that its caller is this customer: no "
            "token of an issuer, and not by an operator."
        ),
    ]
    updated_at: Time
    expires_at: Annotated[
        Time | None,
        Field(description="When record and history are deleted; null if they are kept."),
    ]
    history: Annotated[list[HistoryAnswer], documented(maxItems=MAX_PAGE)]
    cursor: Annotated[
        TheCursor | None,
        Field(description="The next page of the history; null after the last page."),
    ]


class EntriesAnswer(Model):
    entries: Annotated[list[AdminEntryAnswer], documented(maxItems=MAX_PAGE)]
    cursor: TheCursor | None
