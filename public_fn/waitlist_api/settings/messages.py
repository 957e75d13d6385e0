"""Define the `messages` setting, which says which messages a waitlist sends."""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

# The languages of the service's default texts. The customer's page has the same languages.
LANGUAGES = ("en", "de", "fr", "es", "ar")
# The types of telephone numbers to which a waitlist may send SMS messages. Some countries, such as
# the United States, use the same number ranges for mobile phones and landlines. These ranges count
# as `mobile`. If the library `phonenumbers` does not know the type of a number, the type is
# `unknown`. SMS messages are never sent to other types, such as premium-rate, satellite or
# toll-free numbers.
NumberType = Literal["mobile", "fixed_line", "voip", "unknown"]


def language_of(accept_language: str) -> str:
    """Return the most preferred supported language in an `Accept-Language` header.

    Return an empty string if the service supports none of the languages.
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

    The service's default text replaces an empty field. `subject` is the subject of an email, and
    `button` is the label of its link.
    """

    subject: str = ""
    text: str = ""
    button: str = ""


class MessageRules(StoredSettings, frozen=True, kw_only=True):
    """The rules for the messages that a waitlist sends.

    Only messages of the listed `kinds` are sent. The customers of the first `near` entries in the
    queue are told that their turn is near. `language` is used if the customer's language is not
    supported. Times in messages use `timezone`. `texts` contains the waitlist's own texts by
    language and kind.

    SMS messages are only sent to numbers whose country is in `sms_countries` and whose type is in
    `sms_number_types`. If `sms_countries` is empty, the country in `identity.region` is used. If
    there is no such country either, no SMS messages are sent.

    `mails_per_day` and `sms_parts_per_day` limit the messages per UTC day. If a limit is None, only
    the limit of the whole stack applies.
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
