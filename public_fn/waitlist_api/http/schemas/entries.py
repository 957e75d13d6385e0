"""People on a list: what they send, what they see, and what operators do and see."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, Field, GetJsonSchemaHandler, model_validator
from pydantic_core import CoreSchema
from typing_extensions import TypeAliasType

from waitlist_api.auth.credentials import TOKEN
from waitlist_api.http.polling import LONGEST_SECONDS
from waitlist_api.http.schemas.attributes import Attributes, Profile
from waitlist_api.http.schemas.common import (
    Body,
    Count,
    Reason,
    TheCursor,
    TheCustomerId,
    TheEntryId,
    Time,
    extensible,
    looks,
)
from waitlist_api.http.schemas.segments import SegmentPlaceAnswer
from waitlist_api.records.entry import Status
from waitlist_shared import ids
from waitlist_shared.limits import MAX_COMBINATIONS, MAX_PAGE, MAX_PLACES, MAX_PRIORITY

CustomerId = Annotated[
    str,
    Field(
        pattern=f"^{ids.CUSTOMER_ID}$",
        description="The customer's id at the client: opaque, visible ASCII characters.",
        examples=["customer-0001"],
    ),
]


Priority = Annotated[int, looks(minimum=0, maximum=MAX_PRIORITY)]
Position = Annotated[int, looks(minimum=1)]
STATUS_MEANINGS: dict[Status, str] = {
    "joining": "the signup is under way; the entry has no position yet",
    "waiting": "the entry stands in the line",
    "offered": "a claim holds the entry for a limited time",
    "parked": "the entry is set aside until an operator brings it back",
    "leaving": "the entry is being taken off the list",
    "left": "the customer has left, or an operator has removed them",
    "admitted": "the customer was admitted: final",
}
# A named type: it has a component of its own in the OpenAPI document.
EntryStatus = TypeAliasType(
    "EntryStatus",
    Annotated[
        str,
        Field(json_schema_extra=extensible("Where an entry is in its life.", STATUS_MEANINGS)),
    ],
)
PollSeconds = Annotated[int, looks(minimum=1, maximum=LONGEST_SECONDS)]
EntryToken = Annotated[str, looks(pattern=f"^{TOKEN.pattern}$")]
SignupProfile = Annotated[
    Profile,
    Field(default_factory=dict, description="What operators should know, 8 KB at the most."),
]
SignupAttributes = Annotated[
    Attributes,
    Field(
        default_factory=dict,
        description="Names with one or several values each, for claims by filter. Values are "
        "kept as composed Unicode (NFC), so that two ways to type an é are one.",
        examples=[{"language": ["English", "Spanish"]}],
    ),
]


class SignupBody(Body):
    """A guest's signup, which says who it is for."""

    customer_id: CustomerId
    profile: SignupProfile
    attributes: SignupAttributes


class OwnSignupBody(Body):
    """The signup of a customer whose token says who it is."""

    customer_id: Annotated[
        CustomerId | None, Field(description="The token's `sub`; another one is refused.")
    ] = None
    profile: SignupProfile
    attributes: SignupAttributes


class OneOf(Body):
    """A body that the OpenAPI document shows as a choice between named bodies.

    It validates all their fields at once, so that one error says what is missing or too much.
    Generators fail at choices without names: they drop the body, or number it.
    """

    @classmethod
    def choices(cls) -> tuple[type[BaseModel], ...]:
        """Return the named bodies that this one stands for."""
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


NewProfile = Annotated[Profile, Field(description="The whole new profile, 8 KB at the most.")]
NewAttributes = Annotated[
    Attributes,
    Field(
        description="All attributes, in place of the former: the segments follow, the position "
        "stays.",
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
    """What replaces the profile, the attributes or both; what is left out stays as it is."""

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
        description="Higher is served first. The time of signup decides where the entry stands "
        "among that priority; moves before this one no longer count.",
    ),
]
PlacesAhead = Annotated[
    int,
    Field(
        ge=1,
        le=MAX_PLACES,
        description="How many places ahead: exactly so many, but not beyond the head of the "
        "entry's own priority. Only where the line has no room between the two entries at the "
        "target (after many moves to the same spot, or among signups that came faster than 2,000 "
        "a second) does the entry pass more, up to the next room ahead; `moved` in the answer is "
        "how many it passed. Needs an Idempotency-Key.",
    ),
]
EndOfLine = Annotated[
    Literal["front", "back"],
    Field(
        description="`front`: the head of the entry's own priority. `back`: behind all entries, "
        "at priority 0, as a signup now would be; `joined_at` stays."
    ),
]


class BumpByPriority(Body):
    """Move an entry to another priority."""

    priority: NewPriority
    reason: Reason = ""


class BumpByPlaces(Body):
    """Move an entry some places ahead."""

    places: PlacesAhead
    reason: Reason = ""


class BumpToEnd(Body):
    """Move an entry to the front of its priority, or to the back of the line."""

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


class EntryAnswer(BaseModel):
    entry_id: TheEntryId
    status: EntryStatus
    position: Annotated[
        Position | None, Field(description="1 + the number of people ahead; null if not waiting.")
    ]
    total: Annotated[Count | None, Field(description="How many wait; null if hidden or unknown.")]
    priority: Priority
    joined_at: Time | None


class BumpAnswer(EntryAnswer):
    moved: Annotated[
        int | None,
        Field(
            description="How many places nearer to the head the move brought the entry; negative "
            "if farther. A repeat answers the number of its first call, or null where that is lost."
        ),
    ]


class CustomersEntryAnswer(EntryAnswer):
    poll_after_seconds: Annotated[
        PollSeconds | None,
        Field(
            description="When to look again: 1 s for the first 20 in line, a second more for each "
            "20 further back, 300 s at the most; of several places the nearest counts. Null for "
            "whoever has left or was admitted."
        ),
    ]


class LookAnswer(CustomersEntryAnswer):
    segments: Annotated[
        Annotated[list[SegmentPlaceAnswer], looks(maxItems=MAX_COMBINATIONS)] | None,
        Field(
            description="The place within each segment that `segment` asks for, one for each of "
            "the entry's values; empty for whoever is not waiting or has no such attribute, null "
            "where `segment` is not given."
        ),
    ]
    entry_token: Annotated[
        EntryToken | None,
        Field(
            description="To be kept in place of the token that was sent, whose key has been "
            "replaced and will go; null otherwise."
        ),
    ] = None


class SignupAnswer(CustomersEntryAnswer):
    entry_token: Annotated[
        EntryToken,
        Field(description="Send it as Authorization: Bearer to see and to leave the entry."),
    ]


class OwnSignupAnswer(CustomersEntryAnswer):
    pass


class EntryTokenAnswer(BaseModel):
    entry_id: TheEntryId
    entry_token: Annotated[
        EntryToken,
        Field(description="What the guest sends as Authorization: Bearer; a secret of theirs."),
    ]


class HistoryAnswer(BaseModel):
    event: str
    at: Time
    by: str
    reason: str
    detail: dict[str, Any]


class AdminEntryAnswer(EntryAnswer):
    attempts: Count
    claimed_until: Annotated[Time | None, Field(description="When the hold of an offer ends.")]
    parked_at: Time | None
    park_reason: str | None
    customer_id: TheCustomerId | None
    profile: dict[str, Any]
    attributes: dict[str, Any]


class AdminEntryWithHistoryAnswer(AdminEntryAnswer):
    created_at: Annotated[Time, Field(description="When this stay was signed up for.")]
    updated_at: Time
    admitted_at: Time | None
    left_at: Time | None
    expires_at: Annotated[
        Time | None,
        Field(description="When record and history are deleted; null while nothing ends them."),
    ]
    history: Annotated[list[HistoryAnswer], looks(maxItems=MAX_PAGE)]
    cursor: Annotated[
        TheCursor | None,
        Field(description="Of the next page of the history; null behind its end."),
    ]


class EntriesAnswer(BaseModel):
    entries: Annotated[list[AdminEntryAnswer], looks(maxItems=MAX_PAGE)]
    cursor: TheCursor | None
