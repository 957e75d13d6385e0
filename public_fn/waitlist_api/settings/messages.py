"""Define the `messages` setting, which says which messages a waitlist sends."""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

# The languages of the service's default texts. The customer's page has the same languages.
LANGUAGES = ("en", "de", "fr", "es", "ar")
# The types of telephone numbers to which a waitlist may send SMS messages. If a country uses the
# same number ranges for mobile phones and landlines, they count as `mobile`. Premium-rate,
# satellite and toll-free numbers never get messages.
NumberType = Literal["mobile", "fixed_line", "voip", "unknown"]


def language_of(accept_language: str) -> str:
    """Return the most preferred supported language in an `Accept-Language` header, or an empty
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


class OwnText(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The waitlist's own texts for one kind of message.

    The service's default text replaces an empty field.
    """

    subject: str = ""
    text: str = ""
    button: str = ""


class MessageRules(StoredSettings, frozen=True, kw_only=True):
    """The rules for the messages that a waitlist sends.

    Only messages of the listed `kinds` are sent. The customers of the first `near` entries in the
    queue are told that their turn is near.
    """

    kinds: tuple[str, ...]
    near: int = 3
    language: str = "en"
    timezone: str = "UTC"
    texts: Mapping[str, Mapping[str, OwnText]] = {}
    sms_countries: tuple[str, ...] = ()
    sms_number_types: tuple[NumberType, ...] = ("mobile",)
    sms_parts_per_day: int | None = None
    mails_per_day: int | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as the API returns them."""
        shown: dict[str, Any] = msgspec.json.decode(self.text)
        return shown


warm_decoders(MessageRules)
