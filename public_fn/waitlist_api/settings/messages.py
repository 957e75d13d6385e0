"""Define the `messages` setting, which says which messages a waitlist sends."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from waitlist_api.settings.declared import DISTINCT, Setting, Settings, check_distinct
from waitlist_api.settings.identity import IdentityField
from waitlist_api.settings.texts import Country, Language, NameText, TextOfLines, TimeZone

# The kinds of messages. `messages/kinds.py` says when each kind is sent.
KindName = Literal[
    "joined",
    "verify",
    "link",
    "address",
    "near",
    "offered",
    "called",
    "ending",
    "confirm",
    "admitted",
    "left",
    "message",
]
# The types of telephone numbers to which a waitlist may send SMS messages. If a country uses the
# same number ranges for mobile phones and landlines, numbers in these ranges count as `mobile`.
# Premium-rate, satellite and toll-free numbers never receive messages.
NumberType = Literal["mobile", "fixed_line", "voip", "unknown"]
Channel = Literal["mail", "sms"]
# Maps each profile field that holds an address to the channel for its messages.
CHANNEL_OF: dict[IdentityField, Channel] = {"email": "mail", "phone": "sms"}
LANGUAGES: tuple[Language, ...] = get_args(Language)
MAX_PER_DAY = 10_000_000


def language_of(accept_language: str) -> str:
    """Return the supported language that an `Accept-Language` header prefers most, or an empty
    string.
    """
    wanted = []
    for order, part in enumerate(accept_language.split(",")[:20]):
        name, *parameters = (element.strip().lower() for element in part.split(";"))
        quality = next(
            (parameter[2:] for parameter in parameters if parameter.startswith("q=")), ""
        )
        weight = float(quality) if re.fullmatch(r"[01](\.[0-9]{0,3})?", quality) else 1.0
        wanted.append((-weight, order, name.split("-")[0]))
    known = (name for weight, _, name in sorted(wanted) if weight and name in LANGUAGES)
    return next(known, "")


class OwnText(Settings, frozen=True, kw_only=True, omit_defaults=True):
    """A waitlist's own texts for one kind of message.

    If a field is null, the default text is used. A text can contain placeholders: `{name}` stands
    for the waitlist's name, `{until}` for the deadline in the message, `{to}` for the place to
    which the customer is called, and `{number}` for the call number.
    """

    subject: Annotated[NameText | None, Setting("The subject of the email.", max_length=150)] = None
    text: Annotated[
        TextOfLines | None,
        Setting(
            "The text of the message. A link is added at the end.", min_length=1, max_length=1000
        ),
    ] = None
    button: Annotated[
        NameText | None, Setting("The label of the link in an email.", max_length=60)
    ] = None


class MessageRules(Settings, frozen=True, kw_only=True):
    """The email and SMS messages that a waitlist sends (docs/operate/messages.md)."""

    kinds: Annotated[
        tuple[KindName, ...],
        Setting(
            "The kinds of messages that the waitlist sends. The `verify` kind also covers the "
            "links that customers request with `POST …/links`.",
            choices={
                "joined": "The person has a place",
                "verify": "To verify the address",
                "link": "The link, requested again",
                "address": "To verify a new address",
                "near": "The person's turn is near",
                "offered": "It is the person's turn",
                "called": "Called to a place",
                "ending": "The offer ends soon",
                "confirm": "Still there?",
                "admitted": "The person was let in",
                "left": "The person is no longer on the list",
                "message": "Written by an operator",
            },
            max_length=12,
            schema=DISTINCT,
            check=check_distinct,
            examples=[["joined", "verify", "offered", "confirm", "left"]],
        ),
    ]
    near: Annotated[
        int,
        Setting(
            "A customer gets the `near` message when their position is at most this number.",
            ge=1,
            le=100,
        ),
    ] = 3
    language: Annotated[
        Language,
        Setting(
            "The default language of messages. It is used for customers whose language is unknown, "
            "such as customers added by an operator.",
            choices={
                "en": "English",
                "de": "Deutsch",
                "fr": "Français",
                "es": "Español",
                "ar": "العربية",
            },
        ),
    ] = "en"
    timezone: Annotated[
        TimeZone | None,
        Setting(
            "The time zone of the times in messages.",
            null="the waitlist's time zone",
            examples=["Europe/Berlin"],
        ),
    ] = None
    texts: Annotated[
        Mapping[Language, Mapping[KindName, OwnText]],
        Setting(
            "The waitlist's own texts, by language and kind of message. They must be plain text, "
            "not HTML.",
            max_length=5,
            examples=[{"en": {"offered": {"subject": "Your table at {name} is ready"}}}],
        ),
    ] = {}
    sms_countries: Annotated[
        tuple[Country, ...],
        Setting(
            "The countries to which the waitlist sends SMS messages. If the list is empty, SMS "
            "messages are sent only to the country in `identity.region`. If the list contains "
            "exactly one country, numbers without a country code are treated as numbers in this "
            "country.",
            max_length=250,
            schema=DISTINCT,
            check=check_distinct,
            examples=[["DE", "AT", "CH"]],
        ),
    ] = ()
    sms_number_types: Annotated[
        tuple[NumberType, ...],
        Setting(
            "The types of phone numbers to which the waitlist sends SMS messages. `mobile` "
            "includes numbers that may be mobile or landline, such as all numbers in the United "
            "States. `unknown` stands for numbers whose type is not known. Numbers of all other "
            "types, such as toll-free numbers, get no SMS messages.",
            choices={
                "mobile": "Mobile",
                "fixed_line": "Landline",
                "voip": "Internet telephony",
                "unknown": "Numbers whose type the service does not know",
            },
            min_length=1,
            max_length=4,
            schema=DISTINCT,
            check=check_distinct,
        ),
    ] = ("mobile",)
    sms_parts_per_day: Annotated[
        int | None,
        Setting(
            "The maximum number of SMS parts per day (UTC). AWS bills each part of a long message.",
            null="the stack's limit, `SmsPartsPerDay`",
            ge=1,
            le=MAX_PER_DAY,
        ),
    ] = None
    mails_per_day: Annotated[
        int | None,
        Setting(
            "The maximum number of emails per day (UTC).",
            null="the stack's limit, `MailsPerDay`",
            ge=1,
            le=MAX_PER_DAY,
        ),
    ] = None
