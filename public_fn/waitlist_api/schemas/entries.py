"""People on a list: what they send, what they see, and what operators do and see."""

from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from waitlist_api.auth import TOKEN
from waitlist_api.polling import LONGEST_SECONDS
from waitlist_api.records.entry import Status
from waitlist_api.schemas.attributes import Attributes, Profile
from waitlist_api.schemas.basis import (
    Body,
    Count,
    Reason,
    TheCursor,
    TheCustomerId,
    TheEntryId,
    Time,
    looks,
)
from waitlist_api.schemas.segments import SegmentPlaceAnswer
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
EntryStatus = Annotated[str, looks(enum=list(get_args(Status)))]
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


class EditBody(Body):
    """What replaces the profile, the attributes or both; what is left out stays as it is."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["profile"]}, {"required": ["attributes"]}]}
    )

    profile: Annotated[
        Profile, Field(default=None, description="The whole new profile, 8 KB at the most.")
    ]
    attributes: Annotated[
        Attributes,
        Field(
            default=None,
            description="All attributes: the segments follow, the place stays.",
            examples=[{"language": ["English", "Spanish"]}],
        ),
    ]
    reason: Reason = ""

    @model_validator(mode="after")
    def _some_change(self) -> Self:
        if not self.model_fields_set & {"profile", "attributes"}:
            raise ValueError("give a profile, attributes or both")
        return self


class BumpBody(Body):
    """Where to move an entry: exactly one of `priority`, `places` and `to`."""

    model_config = ConfigDict(
        json_schema_extra={
            "oneOf": [
                {"required": [name], "properties": {name: {"type": kind}}}
                for name, kind in {
                    "priority": "integer",
                    "places": "integer",
                    "to": "string",
                }.items()
            ]
        }
    )

    priority: Annotated[
        int | None,
        Field(ge=0, le=MAX_PRIORITY, description="Higher is served first; keeps the ticket."),
    ] = None
    places: Annotated[
        int | None,
        Field(ge=1, le=MAX_PLACES, description="How far ahead; needs an Idempotency-Key."),
    ] = None
    to: Annotated[Literal["front", "back"] | None, Field(description="An end of the line.")] = None
    reason: Reason = ""

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
