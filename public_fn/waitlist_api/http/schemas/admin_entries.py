"""Request and response bodies for operators who change or read an entry."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema

from waitlist_api.http.schemas.attributes import Attributes, Profile
from waitlist_api.http.schemas.call import CallAnswer, WithCallNumber
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
)
from waitlist_api.http.schemas.entries import EntryAnswer, EntryToken, WithReadiness
from waitlist_shared.limits import (
    MAX_PAGE,
    MAX_PLACES,
    MAX_PRIORITY,
)


class ChoiceBody(Body):
    """A request body that the OpenAPI document shows as a choice between several schemas."""

    @classmethod
    def choices(cls) -> tuple[type[BaseModel], ...]:
        """Return the models of the schemas that a client can choose from."""
        raise NotImplementedError

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        described = handler(core_schema)
        # Use references to named schemas, because code generators name the generated classes after
        # these schemas.
        choices = [{"$ref": f"#/components/schemas/{choice.__name__}"} for choice in cls.choices()]
        return {
            "description": handler.resolve_ref_schema(described)["description"],
            "anyOf": choices,
        }


NewProfile = Annotated[
    Profile,
    Field(description="The new profile, at most 8 KB. It replaces the whole stored profile."),
]


NewAttributes = Annotated[
    Attributes,
    Field(
        description="The new attributes, which replace all stored attributes. The entry keeps its "
        "position.",
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
    """Changes to an entry: a new profile, new attributes, or both.

    If either is left out, its stored value stays unchanged.
    """

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
        description="The new priority. Entries with a higher priority are served first. Entries "
        "with the same priority are served in the order of their signups.",
    ),
]


PlacesAhead = Annotated[
    int,
    Field(
        ge=1,
        le=MAX_PLACES,
        description="How many positions to move the entry towards the head of the queue. The entry "
        "cannot overtake entries with a higher priority. In rare cases, the service moves the "
        "entry further than requested. The response's `moved` field contains the actual number. A "
        "request with `places` must have an Idempotency-Key.",
    ),
]


EndOfLine = Annotated[
    Literal["front", "back"],
    Field(
        description="`front` moves the entry to the head of its own priority. `back` moves the "
        "entry to the end of the queue with priority 0, like a new signup. In both cases, "
        "`joined_at` stays the same."
    ),
]


class BumpByPriority(Body):
    """Give an entry a different priority."""

    priority: NewPriority
    reason: Reason = ""


class BumpByPlaces(Body):
    """Move an entry ahead by a number of positions."""

    places: PlacesAhead
    reason: Reason = ""


class BumpToEnd(Body):
    """Move an entry ahead of all entries with the same priority, or to the end of the queue."""

    to: EndOfLine
    reason: Reason = ""


class BumpBody(ChoiceBody):
    """A request to move an entry in the queue.

    It contains exactly one of `priority`, `places` and `to`.
    """

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
            description="Whether to also ban the customer. If a banned customer signs up again or "
            "is imported, the signup or the import row is refused with `banned`. Customers can be "
            "banned in any status. A customer who has been admitted stays admitted."
        ),
    ] = False


class UnbanBody(Body):
    reason: Reason = ""
    banned_at: Annotated[
        UtcTime | None,
        Field(
            description="The ban's `banned_at`. Send it so that a repeated request cannot end a "
            "later ban. If this field is left out, the request ends the current ban.",
            examples=["2026-12-01T09:10:00.000Z"],
        ),
    ] = None


class ReadyBody(Body):
    """Whether the entry is ready, or held back by an operator."""

    ready: Annotated[
        bool,
        Field(
            description="`false` holds the entry back until an operator sends `true`. Meanwhile, "
            "the entry keeps its position, and other entries are served first. If the customer is "
            "letting others pass until a chosen time, `true` does not end this."
        ),
    ]
    reason: Reason = ""


class VerifyEntryBody(Body):
    """Confirms that an operator has checked who owns the address."""

    reason: Reason = ""
    joined_at: Annotated[
        UtcTime | None,
        Field(
            description="The entry's `joined_at`. Send it so that a late request cannot verify a "
            "later signup. If this field is left out, the request verifies the current signup.",
            examples=["2026-12-01T09:10:00.000Z"],
        ),
    ] = None


class ReinstateBody(Body):
    reason: Reason = ""


class BumpAnswer(EntryAnswer):
    moved: Annotated[
        int | None,
        Field(
            description="How many positions the entry moved towards the head of the queue. The "
            "number is negative if the entry moved towards the end. A repeated request returns "
            "the first request's number, or null if the service no longer knows it."
        ),
    ]


class NewAddress(Model):
    """A new address that a customer has entered but not verified yet."""

    to: Annotated[str, Field(examples=["ada@example.org"])]
    url: Annotated[
        str,
        Field(
            description="The URL of the customer page, with a code after `#v=`. When the customer "
            "opens it, the entry moves to the new address. Send the URL only to the new address."
        ),
    ]


class LinkAnswer(Model):
    url: Annotated[
        str,
        Field(
            description="The URL that opens the customer's entry. If the address is not verified "
            "yet, the URL contains a code that verifies it. Otherwise, it contains the entry "
            "token. Keep the URL secret, and send it only to the customer."
        ),
    ]
    new_address: Annotated[
        NewAddress | None,
        Field(description="The new address, if the customer has asked to change their address."),
    ]


class EntryTokenAnswer(Model):
    entry_id: TheEntryId
    entry_token: Annotated[
        EntryToken,
        Field(
            description="The guest's entry token, which is a secret. The guest sends it as a "
            "bearer token in the `Authorization` header."
        ),
    ]


class HistoryAnswer(Model):
    event: str
    at: Time
    by: str
    reason: str
    detail: Annotated[
        dict[str, Any],
        Field(
            description="Details of the event, such as the requested values. After an event that "
            "can move the entry, `position` is the entry's new position, and `moved` says how many "
            "positions it moved ahead. If the event issues or revokes a pass, `jti` is the id of "
            "the pass. If an offer belongs to an invitation, `invitation` is the id of the "
            "invitation. Unknown values are left out."
        ),
    ]


class AdminEntryAnswer(EntryAnswer, WithReadiness, WithCallNumber):
    rank: Annotated[
        Rank | None,
        Field(
            description="The number that the queue is sorted by. Entries with a lower rank are "
            "served first. To give the entry the same position in another waitlist, import it "
            "with this rank. Null if the entry has no position in the queue."
        ),
    ] = None
    held_back_reason: str | None = None
    messages_off: Annotated[
        bool,
        Field(
            description="Whether the customer has turned off messages. They still get messages "
            "that they request."
        ),
    ] = False
    unreachable: Annotated[
        bool,
        Field(
            description="True if the service sends the customer no more messages, because an "
            "email bounced permanently, the customer complained about an email, or their "
            "telephone number cannot receive SMS."
        ),
    ] = False
    language: Annotated[
        str | None,
        Field(
            description="The language of messages to the customer. Null means the waitlist's "
            "default language."
        ),
    ] = None
    asked_at: Annotated[
        Time | None,
        Field(description="When the customer was last asked whether they are still waiting."),
    ] = None
    confirmed_at: Annotated[
        Time | None,
        Field(description="When the customer last confirmed that they are still waiting."),
    ] = None
    attempts: Count
    claimed_until: Annotated[
        Time | None,
        Field(
            description="The claim's deadline. Null if the entry is not claimed. An offer's "
            "deadline is `offered_until` instead."
        ),
    ]
    call: Annotated[
        CallAnswer | None,
        Field(
            description="When an operator last called the customer, and the place that the "
            "customer should come to. Null if the entry is not claimed, or if nobody has called "
            "the customer."
        ),
    ] = None
    parked_at: Time | None
    park_reason: str | None
    admitted_at: Time | None
    inside_until: Annotated[
        Time | None,
        Field(description="When the pass expires. Null if the customer has no pass."),
    ]
    room_until: Annotated[
        Time | None,
        Field(
            description="The customer counts towards the waitlist's `max_inside` until this time, "
            "which is usually when the pass ends. Null if the customer does not count. If an "
            "operator calls `exit` earlier, the customer no longer counts from then on. The same "
            "is true if the customer calls `exit`, unless the policy's `customer_exit` is "
            "`frees_at_end`."
        ),
    ]
    exited_at: Annotated[Time | None, Field(description="When the customer exited.")]
    left_at: Annotated[
        Time | None,
        Field(
            description="When the customer left. Null if the customer has not left, or has never "
            "been on the waitlist."
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
    created_at: Annotated[Time, Field(description="When the customer signed up most recently.")]
    by_guest: Annotated[
        bool,
        Field(
            description="Whether the entry was created without proof of the customer's identity. "
            "False if the customer signed up with an OIDC token, or if an operator added the "
            "entry."
        ),
    ]
    updated_at: Time
    expires_at: Annotated[
        Time | None,
        Field(description="When the entry and its history will be deleted. Null if they are kept."),
    ]
    history: Annotated[list[HistoryAnswer], documented(maxItems=MAX_PAGE)]
    cursor: Annotated[
        TheCursor | None,
        Field(
            description="The cursor of the next page of the history. Null if this is the last page."
        ),
    ]


class EntriesAnswer(Model):
    entries: Annotated[list[AdminEntryAnswer], documented(maxItems=MAX_PAGE)]
    cursor: TheCursor | None
