"""Request and response bodies for customers' own entries."""

from typing import Annotated, Any, Literal

from pydantic import Field

from waitlist_api.http.schemas.attributes import Profile
from waitlist_api.http.schemas.common import Body, Count, Model, TheEntryId, UtcTime, documented
from waitlist_api.http.schemas.entries import CustomersEntryAnswer, EntryToken
from waitlist_api.http.schemas.segments import SegmentPlaceAnswer
from waitlist_shared.limits import MAX_COMBINATIONS


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


class RestAnswer(CustomersEntryAnswer):
    rests_left: Annotated[
        Count | None,
        Field(
            description="How many more times the customer may let others pass. Null if the "
            "waitlist no longer has the `rest` setting."
        ),
    ]


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
