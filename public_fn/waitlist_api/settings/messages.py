"""Define the `messages` setting of a waitlist: which messages it sends, and with which texts."""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

# The languages of the service's own texts. The customer's page has the same languages.
LANGUAGES = ("en", "de", "fr", "es", "ar")
# The kinds of telephone numbers to which a waitlist may send SMS. Some countries, such as the
# United States, use the same number ranges for mobile phones and landlines. `mobile` includes these
# ranges. `unknown` stands for ranges that the library `phonenumbers` does not know. No waitlist
# sends SMS to other kinds of numbers, such as premium-rate, shared-cost, satellite, toll-free and
# personal numbers, pagers and voicemail.
NumberType = Literal["mobile", "fixed_line", "voip", "unknown"]


def language_of(accept_language: str) -> str:
    """Return the preferred language in an `Accept-Language` header that the service supports.

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
    """A waitlist's own texts for a kind of message.

    Empty fields are replaced by the service's texts. `subject` is the subject of a mail, and
    `button` is the label of its link.
    """

    subject: str = ""
    text: str = ""
    button: str = ""


class MessageRules(StoredSettings, frozen=True, kw_only=True):
    """The rules for the messages of a waitlist.

    Only messages of these `kinds` are sent. The first `near` entries of the queue are told that
    their turn is near. If a signup asks for no language that the service supports, the customer
    gets messages in `language`. Times in messages use the `timezone`. `texts` has the waitlist's
    own texts by language and kind.

    SMS are only sent to numbers of the `sms_countries` (two-letter codes) and of the
    `sms_number_types`. If `sms_countries` is empty, the country in `identity.region` is used. If
    that is not set either, the waitlist sends no SMS.

    The waitlist sends at most `mails_per_day` mails and `sms_parts_per_day` SMS parts on each day
    in UTC. If a limit is None, only the budget of the stack applies.
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
        """The fields as callers see them."""
        shown: dict[str, Any] = msgspec.json.decode(self.text)
        return shown


warm_decoders(MessageRules)
