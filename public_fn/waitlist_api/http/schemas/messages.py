"""Messages: the setting of a waitlist, examples, and what became of those to one person."""

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

CHANNELS = {"mail": "An address of `profile.email`.", "sms": "A number of `profile.phone`."}
STATES = {
    "sent": "Mail or SMS of AWS took it.",
    "bounced": "It came back for good, or was complained about.",
    "dropped": "It was not sent.",
}
REASONS = {
    "over": "What it says was no longer true.",
    "turned_off": "The person wants no messages.",
    "unreachable": "A message of this stay has come back before.",
    "no_address": "There is no address, or none that the stack can send to.",
    "refused": "The address takes no messages.",
    "number_not_allowed": "The waitlist sends no SMS to this country, or to this kind of number.",
    "too_many": "The address had too many messages that anyone can cause without owning it.",
    "over_budget": "The part of the day's budget for such messages was used up.",
}


def _known(kind: str) -> str:
    if kind not in BY_NAME:
        raise ValueError(f"must be one of {', '.join(KIND_NAMES)}")
    return kind


def _distinct(kinds: list[Any]) -> list[Any]:
    if len(set(kinds)) < len(kinds):
        raise ValueError("may have each item only once")
    return kinds


KindName = Annotated[
    str, AfterValidator(_known), Field(max_length=10, json_schema_extra={"enum": list(KIND_NAMES)})
]


class OwnTextBody(Body):
    """A list's own words for one kind of message; null: the service's words.

    `{name}` stands for the waitlist's name, `{until}` for the deadline of an offer or a question.
    """

    subject: Annotated[
        Annotated[NameText, Field(min_length=1, max_length=MAX_SUBJECT)] | None,
        Field(description="The subject of a mail."),
    ] = None
    text: Annotated[
        Annotated[TextOfLines, Field(min_length=1, max_length=MAX_MESSAGE)] | None,
        Field(description="The message; its link is added."),
    ] = None
    button: Annotated[
        Annotated[NameText, Field(min_length=1, max_length=MAX_BUTTON)] | None,
        Field(description="The name of the link in a mail."),
    ] = None

    @property
    def given(self) -> dict[str, str]:
        """The words that are not the service's."""
        given: dict[str, str] = self.model_dump(exclude_none=True)
        return given


class MessagesBody(Body):
    """Messages to the people of a waitlist, by mail and SMS (docs/operate/messages.md)."""

    kinds: Annotated[
        list[KindName],
        AfterValidator(_distinct),
        Field(
            max_length=len(KIND_NAMES),
            json_schema_extra={"uniqueItems": True},
            description="What is sent. `verify` sends the links that `POST …/links` asks for, too.",
            examples=[["joined", "verify", "offered", "confirm", "left"]],
        ),
    ]
    near: Annotated[
        int,
        Field(ge=1, le=MAX_NEAR, description="Who has one of the first `near` positions is near."),
    ] = 3
    language: Annotated[
        Language,
        Field(
            description="For people whose signup asked for no language that the service has, by "
            "`Accept-Language`, and for imported people."
        ),
    ] = "en"
    timezone: Annotated[
        TimeZone, Field(description="Of the times in messages.", examples=["Europe/Berlin"])
    ] = "UTC"
    texts: Annotated[
        dict[Language, dict[KindName, OwnTextBody]],
        Field(
            default_factory=dict,
            max_length=5,
            description="The waitlist's own words, by language and kind. Text is shown as text, "
            "never as HTML.",
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
            description="SMS go to numbers of these countries alone. Without any they go to the "
            "country of `identity.region`; without that region, too, none is sent.",
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
            description="SMS go to numbers of these kinds alone. `mobile` includes ranges that may "
            "be either mobile or a landline, such as all of the United States; `unknown` are "
            "ranges that the service's list of numbers does not have. None goes to premium-rate, "
            "shared-cost, satellite, toll-free or personal numbers.",
        ),
    ]
    sms_parts_per_day: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_PER_DAY,
            description="How many parts of SMS, by which they are billed, are sent on one day in "
            "UTC; null: as many as the stack's `SmsPartsPerDay` allows.",
        ),
    ] = None
    mails_per_day: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_PER_DAY,
            description="How many mails are sent on one day in UTC; null: as many as the stack's "
            "`MailsPerDay` allows.",
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
                            f"texts.{language}.{kind} has {{{min(unknown)}}}, which has no value"
                        )
                    if {"{", "}"} & set(PLACEHOLDER.sub("", text)):
                        raise ValueError(f"texts.{language}.{kind} has a brace without its pair")
        return self

    def rules(self) -> dict[str, Any]:
        """Return the fields as the settings have them."""
        texts = {
            language: {kind: own.given for kind, own in kinds.items()}
            for language, kinds in self.texts.items()
        }
        return {**self.model_dump(), "texts": texts}


class NoteAnswer(Model):
    kind: Annotated[str, documented(examples=["offered"])]
    channel: Annotated[
        str | None, documented(**extensible("By what it was sent; null: there was none.", CHANNELS))
    ]
    state: Annotated[str, documented(**extensible("What became of the message.", STATES))]
    reason: Annotated[
        str | None, documented(**extensible("Why it was not sent; null: it was.", REASONS))
    ]
    at: Annotated[Time, Field(description="When it was sent, or dropped.")]


class NotesAnswer(Model):
    messages: Annotated[
        list[NoteAnswer],
        documented(maxItems=SHOWN),
        Field(description="The newest messages of the present stay, oldest first; for 20 days."),
    ]


class PreviewedAnswer(Model):
    kind: Annotated[str, documented(examples=["offered"])]
    language: Annotated[str, documented(examples=["en"])]
    subject: Annotated[str, Field(description="Of the mail.")]
    text: Annotated[
        str, Field(description="The plain text of the mail, and all of an SMS; the link is last.")
    ]
    sms_parts: Annotated[
        Count,
        Field(
            description="How many parts the text has as an SMS, each of which is billed. A "
            "person's own link is longer than that of the example, and is counted here."
        ),
    ]
    html: Annotated[str, Field(description="The mail as a whole HTML document.")]


class PreviewedMessagesAnswer(Model):
    messages: Annotated[
        list[PreviewedAnswer],
        documented(maxItems=len(KIND_NAMES) * len(LANGUAGES)),
        Field(description="With example data; the link is that of the waitlist's page."),
    ]


class TestMessageBody(Body):
    """A message with example data to one address: `email`, or `phone`."""

    kind: KindName
    language: Annotated[
        Language | None, Field(description="Null: the language of the waitlist's messages.")
    ] = None
    email: Annotated[str, Field(default=None, max_length=320, examples=["ada@example.com"])]
    phone: Annotated[str, Field(default=None, max_length=320, examples=["+49 30 901820"])]


class TestMessageAnswer(Model):
    outcome: Literal["sent"]
