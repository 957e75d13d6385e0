"""The message settings of a waitlist, example messages, and the list of messages to one person."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from waitlist_api.http.schemas.common import (
    Body,
    Count,
    Country,
    Model,
    NameText,
    Time,
    TimeZone,
    documented,
    extensible,
)
from waitlist_api.http.schemas.page import TextOfLines
from waitlist_api.messages.kinds import BY_NAME, KIND_NAMES
from waitlist_api.messages.words import PLACEHOLDER
from waitlist_api.records.deliveries import SHOWN
from waitlist_api.settings.messages import LANGUAGES, NumberType

MAX_NEAR = 100
MAX_COUNTRIES, MAX_PER_DAY = 250, 10_000_000
MAX_SUBJECT, MAX_MESSAGE, MAX_BUTTON = 150, 1000, 60
Language = Literal["en", "de", "fr", "es", "ar"]

CHANNELS = {"mail": "A mail to `profile.email`.", "sms": "An SMS to `profile.phone`."}
STATES = {
    "sent": "The AWS mail or SMS service accepted the message.",
    "bounced": "The mail bounced permanently, or the recipient complained about it.",
    "dropped": "The message was not sent.",
}
REASONS = {
    "over": "The content of the message was outdated.",
    "turned_off": "The customer has turned off messages.",
    "unreachable": "An earlier message to this address has bounced.",
    "no_address": "The customer has no address to which the stack can send messages.",
    "refused": "The mail or SMS service rejected the address.",
    "number_not_allowed": "The waitlist sends no SMS messages to this country, or to this type "
    "of number.",
    "too_many": "The address has already received too many messages that a stranger could have "
    "caused.",
    "over_budget": "The daily budget for messages that strangers can cause is used up.",
}


def _known(kind: str) -> str:
    if kind not in BY_NAME:
        raise ValueError(f"must be one of {', '.join(KIND_NAMES)}")
    return kind


def _distinct(kinds: list[Any]) -> list[Any]:
    if len(set(kinds)) < len(kinds):
        raise ValueError("must have each item only once")
    return kinds


KindName = Annotated[
    str, AfterValidator(_known), Field(max_length=10, json_schema_extra={"enum": list(KIND_NAMES)})
]


class OwnTextBody(Body):
    """A waitlist's own texts for one kind of message.

    If a field is null, the default text is used. `{name}` is replaced by the name of the waitlist,
    and `{until}` by the deadline that the message is about.
    """

    subject: Annotated[
        Annotated[NameText, Field(min_length=1, max_length=MAX_SUBJECT)] | None,
        Field(description="The subject of the mail."),
    ] = None
    text: Annotated[
        Annotated[TextOfLines, Field(min_length=1, max_length=MAX_MESSAGE)] | None,
        Field(description="The text of the message. A link is added at the end."),
    ] = None
    button: Annotated[
        Annotated[NameText, Field(min_length=1, max_length=MAX_BUTTON)] | None,
        Field(description="The label of the link in a mail."),
    ] = None

    @property
    def given(self) -> dict[str, str]:
        """The texts that are not null."""
        given: dict[str, str] = self.model_dump(exclude_none=True)
        return given


class MessagesBody(Body):
    """The mail and SMS messages that a waitlist sends (docs/operate/messages.md)."""

    kinds: Annotated[
        list[KindName],
        AfterValidator(_distinct),
        Field(
            max_length=len(KIND_NAMES),
            json_schema_extra={"uniqueItems": True},
            description="The kinds of messages that the waitlist sends. The kind `verify` also "
            "covers the links that customers request with `POST …/links`.",
            examples=[["joined", "verify", "offered", "confirm", "left"]],
        ),
    ]
    near: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_NEAR,
            description="A customer gets the message `near` when their "
            "position is at most this number.",
        ),
    ] = 3
    language: Annotated[
        Language,
        Field(
            description="The default language of messages. It is used for imported customers, and "
            "for customers whose browser requested no supported language."
        ),
    ] = "en"
    timezone: Annotated[
        TimeZone,
        Field(description="The time zone of the times in messages.", examples=["Europe/Berlin"]),
    ] = "UTC"
    texts: Annotated[
        dict[Language, dict[KindName, OwnTextBody]],
        Field(
            default_factory=dict,
            max_length=5,
            description="The waitlist's own texts, by language and kind of message. The texts "
            "must be plain text, not HTML.",
            examples=[{"en": {"offered": {"subject": "Your table at {name} is ready"}}}],
        ),
    ]
    sms_countries: Annotated[
        list[Country],
        AfterValidator(_distinct),
        Field(
            default_factory=list,
            max_length=MAX_COUNTRIES,
            json_schema_extra={"uniqueItems": True},
            description="The countries to which the waitlist sends SMS messages. If the list is "
            "empty, SMS messages are sent only to the country in `identity.region`.",
            examples=[["DE", "AT", "CH"]],
        ),
    ]
    sms_number_types: Annotated[
        list[NumberType],
        AfterValidator(_distinct),
        Field(
            default_factory=lambda: ["mobile"],
            min_length=1,
            max_length=4,
            json_schema_extra={"uniqueItems": True, "default": ["mobile"]},
            description="The types of phone numbers to which the waitlist sends SMS messages. "
            "`mobile` includes numbers that may be either mobile or landline, such as all numbers "
            "in the United States. `unknown` covers numbers whose type the service does not know. "
            "Other types, such as toll-free numbers, get no SMS messages.",
        ),
    ]
    sms_parts_per_day: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_PER_DAY,
            description="The maximum number of SMS parts per day (UTC). AWS bills each part of a "
            "long message. Null means the limit of the stack, `SmsPartsPerDay`.",
        ),
    ] = None
    mails_per_day: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_PER_DAY,
            description="The maximum number of mails per day (UTC). Null means the limit of the "
            "stack, `MailsPerDay`.",
        ),
    ] = None

    @model_validator(mode="after")
    def _check_placeholders(self) -> Self:
        for language, kinds in self.texts.items():
            for kind, own in kinds.items():
                for text in own.given.values():
                    unknown = set(PLACEHOLDER.findall(text)) - set(BY_NAME[kind].placeholders)
                    if unknown:
                        raise ValueError(
                            f"texts.{language}.{kind} must not have {{{min(unknown)}}}, which has "
                            "no value there"
                        )
                    if {"{", "}"} & set(PLACEHOLDER.sub("", text)):
                        raise ValueError(
                            f"texts.{language}.{kind} has a brace without its counterpart"
                        )
        return self

    def rules(self) -> dict[str, Any]:
        """Return the settings in the format in which they are stored."""
        texts = {
            language: {kind: own.given for kind, own in kinds.items()}
            for language, kinds in self.texts.items()
        }
        return {**self.model_dump(), "texts": texts}


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
            description="The newest messages since the customer's latest signup, oldest first. "
            "They are kept for 20 days."
        ),
    ]


class PreviewedAnswer(Model):
    kind: Annotated[str, documented(examples=["offered"])]
    language: Annotated[str, documented(examples=["en"])]
    subject: Annotated[str, Field(description="The subject of the mail.")]
    text: Annotated[
        str,
        Field(
            description="The plain text of the mail. An SMS message consists of the same text. "
            "The link comes last."
        ),
    ]
    sms_parts: Annotated[
        Count,
        Field(
            description="The number of SMS parts that the text needs with a real customer's link, "
            "which is longer than the link in the example. Each part is billed."
        ),
    ]
    html: Annotated[str, Field(description="The mail as a complete HTML document.")]


class PreviewedMessagesAnswer(Model):
    messages: Annotated[
        list[PreviewedAnswer],
        documented(maxItems=len(KIND_NAMES) * len(LANGUAGES)),
        Field(description="Messages with example data. Their link leads to the waitlist's page."),
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
