"""A waitlist's message settings, example messages, and the list of messages to one person."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from waitlist_api.http.schemas.common import (
    Body,
    Count,
    Model,
    Time,
    documented,
    extensible,
)
from waitlist_api.http.schemas.settings import request_body
from waitlist_api.messages.kinds import BY_NAME, KIND_NAMES
from waitlist_api.messages.words import PLACEHOLDER
from waitlist_api.records.deliveries import SHOWN
from waitlist_api.settings.messages import LANGUAGES, KindName, MessageRules, OwnText
from waitlist_api.settings.texts import Language

CHANNELS = {"mail": "An email to `profile.email`.", "sms": "An SMS to `profile.phone`."}
STATES = {
    "sent": "The AWS email or SMS service accepted the message.",
    "bounced": "The email bounced permanently, or the recipient complained about it.",
    "dropped": "The message was not sent.",
}
REASONS = {
    "over": "The content of the message was outdated.",
    "turned_off": "The customer has turned off messages.",
    "unreachable": "An earlier message to this address has bounced.",
    "no_address": "The customer has no address that the stack can send messages to.",
    "refused": "The email or SMS service rejected the address.",
    "number_not_allowed": "The waitlist sends no SMS messages to this country, or to this type "
    "of number.",
    "too_many": "The address has reached the limit for messages that people can request without "
    "proving who they are.",
    "over_budget": "The daily budget for messages that people can request without proving who they "
    "are is used up.",
}


def unfilled_placeholders(own: OwnText, kind: KindName) -> Iterator[str]:
    """Yield a problem for each placeholder that the service cannot replace."""
    for text in filter(None, (own.subject, own.text, own.button)):
        unknown = set(PLACEHOLDER.findall(text)) - set(BY_NAME[kind].placeholders)
        if unknown:
            yield f"must not have {{{min(unknown)}}}, which has no value there"
        if {"{", "}"} & set(PLACEHOLDER.sub("", text)):
            yield "must not have an unmatched brace"


def _problems(rules: MessageRules) -> Iterator[tuple[str, str]]:
    for language, kinds in rules.texts.items():
        for kind, own in kinds.items():
            for problem in unfilled_placeholders(own, kind):
                yield "texts", f"{language}.{kind} {problem}"


OwnTextBody: Any = request_body("OwnTextBody", OwnText)
MessagesBody: Any = request_body("MessagesBody", MessageRules, _problems)


class NoteAnswer(Model):
    kind: Annotated[str, documented(examples=["offered"])]
    channel: Annotated[
        str | None,
        documented(
            **extensible("How the message was sent. Null if the customer has no address.", CHANNELS)
        ),
    ]
    state: Annotated[str, documented(**extensible("The outcome of the message.", STATES))]
    reason: Annotated[
        str | None,
        documented(
            **extensible("Why the message was not sent. Null if the message was sent.", REASONS)
        ),
    ]
    at: Annotated[
        Time,
        Field(description="When the message was sent, or when the service decided not to send it."),
    ]


class NotesAnswer(Model):
    messages: Annotated[
        list[NoteAnswer],
        documented(maxItems=SHOWN),
        Field(
            description="The customer's newest messages, oldest first. Messages from before the "
            "latest signup are not included. Messages are kept for 20 days."
        ),
    ]


class PreviewedAnswer(Model):
    kind: Annotated[str, documented(examples=["offered"])]
    language: Annotated[str, documented(examples=["en"])]
    subject: Annotated[str, Field(description="The subject of the email.")]
    text: Annotated[
        str,
        Field(
            description="The plain text of the email, or the text of the SMS message. It ends with "
            "the link."
        ),
    ]
    sms_parts: Annotated[
        Count,
        Field(
            description="The number of SMS parts in the message. AWS bills each part separately. "
            "The number allows for the personal link in a real message, which is longer than the "
            "link in this example."
        ),
    ]
    html: Annotated[str, Field(description="The email as a complete HTML document.")]


class PreviewedMessagesAnswer(Model):
    messages: Annotated[
        list[PreviewedAnswer],
        documented(maxItems=len(KIND_NAMES) * len(LANGUAGES)),
        Field(description="Messages with example data, whose links lead to the waitlist's page."),
    ]


class TestMessageBody(Body):
    """A request to send a message with example data to one address, either `email` or `phone`."""

    kind: KindName
    language: Annotated[
        Language | None,
        Field(
            description="The language of the message. Null means the default language of the "
            "waitlist's messages."
        ),
    ] = None
    email: Annotated[str, Field(default=None, max_length=320, examples=["ada@example.com"])]
    phone: Annotated[str, Field(default=None, max_length=320, examples=["+49 30 901820"])]


class TestMessageAnswer(Model):
    outcome: Literal["sent"]
