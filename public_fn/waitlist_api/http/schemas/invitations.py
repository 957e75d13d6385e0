"""Request and response bodies for invitations."""

from typing import Annotated, Any, Literal

import msgspec
from pydantic import AfterValidator, Field, ValidationInfo

from waitlist_api.http.schemas.attributes import Filter
from waitlist_api.http.schemas.common import (
    Body,
    Count,
    Model,
    PathEntryId,
    TheCursor,
    Time,
    UtcTime,
    documented,
)
from waitlist_api.http.schemas.messages import OwnTextBody, unfilled_placeholders
from waitlist_api.settings.messages import LANGUAGES, OwnText
from waitlist_api.settings.texts import Language
from waitlist_shared import ids
from waitlist_shared.limits import MAX_ADMIT, MAX_OFFER_SECONDS, MAX_PAGE, MIN_OFFER_SECONDS

MAX_INVITED = 100_000
PathInvitationId = f"^{ids.INVITATION_ID}$"


def texts_in(message: dict[Language, Any] | None) -> dict[Language, OwnText]:
    """Return the texts in a valid body."""
    return {
        language: msgspec.convert(own.model_dump(), OwnText)
        for language, own in (message or {}).items()
    }


def _check_placeholders(message: dict[Language, Any] | None) -> dict[Language, Any] | None:
    for language, own in texts_in(message).items():
        for problem in unfilled_placeholders(own, "offered"):
            raise ValueError(f"{language} {problem}")
    return message


def _distinct(entries: list[str] | None) -> list[str] | None:
    if entries is not None and len(set(entries)) < len(entries):
        raise ValueError("must list each entry only once")
    return entries


def _not_with_count(entries: list[str] | None, info: ValidationInfo) -> list[str] | None:
    if entries is not None and (info.data.get("count") or info.data.get("filter")):
        raise ValueError("must not be sent together with count or filter")
    if entries is None and info.data.get("count", "") is None:
        raise ValueError("must be sent if count is missing, to say whom to invite")
    return entries


def _not_with_until(offer_seconds: int | None, info: ValidationInfo) -> int | None:
    if offer_seconds is not None and info.data.get("until"):
        raise ValueError("must not be sent together with until")
    if offer_seconds is None and info.data.get("until", "") is None:
        raise ValueError("must be sent if until is missing, to say when the offers end")
    return offer_seconds


class InvitationBody(Body):
    """The people to invite, when their offers end, and the text of the message."""

    count: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_INVITED,
            description="How many people to invite. The service invites the people at the head of "
            "the queue, and skips entries that are not ready. Fewer people are invited if too few "
            "are ready, or if `max_inside` is reached.",
            examples=[100],
        ),
    ] = None
    filter: Annotated[
        Filter | None,
        Field(
            description="Invite only entries that have all these attribute values. The attributes "
            "need not be declared as a segment.",
            examples=[{"language": "Spanish"}],
        ),
    ] = None
    entries: Annotated[
        list[Annotated[str, Field(pattern=PathEntryId)]] | None,
        Field(
            min_length=1,
            max_length=MAX_ADMIT,
            description="The ids of the entries to invite, instead of `count`. Entries that are "
            "not waiting, or that are not ready, are not invited.",
            validate_default=True,
        ),
        AfterValidator(_distinct),
        AfterValidator(_not_with_count),
    ] = None
    until: Annotated[
        UtcTime | None,
        Field(
            description="When the offers end, at most 14 days from now. Send either `until` or "
            "`offer_seconds`.",
            examples=["2026-12-03T18:00:00Z"],
        ),
    ] = None
    offer_seconds: Annotated[
        int | None,
        Field(
            ge=MIN_OFFER_SECONDS,
            le=MAX_OFFER_SECONDS,
            description="How many seconds the offers last, at most 14 days. Send either `until` or "
            "`offer_seconds`.",
            examples=[172_800],
            validate_default=True,
        ),
        AfterValidator(_not_with_until),
    ] = None
    message: Annotated[
        dict[Language, OwnTextBody] | None,
        Field(
            max_length=len(LANGUAGES),
            description="The texts of the `offered` message to the invited people, by language. "
            "Invited people without a text in their language get the waitlist's usual text.",
            examples=[{"en": {"subject": "You are invited to {name}"}}],
        ),
        AfterValidator(_check_placeholders),
    ] = None


class FunnelAnswer(Model):
    """How many invited people have accepted, declined, missed or lost their offer, or can still
    accept it.
    """

    invited: Annotated[
        Count,
        Field(
            description="The number of people who got an offer, which is always the sum of `open`, "
            "`entered`, `declined`, `missed` and `left`."
        ),
    ]
    open: Annotated[Count, Field(description="How many people still have an open offer.")]
    entered: Annotated[Count, Field(description="How many people accepted the offer.")]
    declined: Annotated[Count, Field(description="How many people declined the offer.")]
    missed: Annotated[
        Count, Field(description="How many people did not answer before their offer ended.")
    ]
    left: Annotated[
        Count,
        Field(
            description="How many people lost their offer early, because they left the waitlist or "
            "were removed or erased, or because an operator withdrew the offer."
        ),
    ]
    delivered: Annotated[
        Count,
        Field(
            description="How many of the invited people were sent an email or an SMS message. "
            "People whose message bounced are not counted."
        ),
    ]
    opened: Annotated[
        Count,
        Field(
            description="How many of the invited people have seen the offer on the customer page "
            "or in an app, for example because they opened the link in the message."
        ),
    ]


class InvitationAnswer(Model):
    """An invitation, and how many people it has reached."""

    invitation_id: Annotated[str, documented(pattern=PathInvitationId)]
    created_at: Time
    until: Annotated[Time, Field(description="The latest time at which the offers end.")]
    state: Annotated[
        Literal["running", "done"],
        Field(
            description="`running` while offers are still being made, which can take a few minutes "
            "for thousands of people. `done` once all offers have been made."
        ),
    ]
    count: Annotated[Count, Field(description="The maximum number of people to invite.")]
    filter: Filter | None
    message: Annotated[
        dict[Language, OwnTextBody] | None,
        Field(
            description="The texts of this invitation's `offered` messages, by language. Null if "
            "the usual texts are used."
        ),
    ]
    funnel: FunnelAnswer


class InvitationsAnswer(Model):
    invitations: Annotated[
        list[InvitationAnswer],
        documented(maxItems=MAX_PAGE),
        Field(
            description="The invitations, newest first. Each is kept for 400 days after it ends."
        ),
    ]
    cursor: TheCursor | None
