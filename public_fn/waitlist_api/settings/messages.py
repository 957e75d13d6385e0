"""The `messages` setting of a list: what its people are told, and in which words."""

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

# Of the texts that the service has; the page's are the same.
LANGUAGES = ("en", "de", "fr", "es", "ar")
# The kinds of telephone numbers to which a list may send SMS. `mobile` includes ranges that a
# country shares between mobile numbers and landlines, as the United States do. An `unknown` range
# is one that the list of ranges in `phonenumbers` does not have. No list sends to any other kind:
# premium-rate, shared-cost, satellite, toll-free and personal numbers, pagers and voicemail.
NumberType = Literal["mobile", "fixed_line", "voip", "unknown"]


def language_of(accept_language: str) -> str:
    """Return the first language of a header `Accept-Language` that the service has, or ""."""
    wanted = []
    for order, part in enumerate(accept_language.split(",")[:20]):
        name, *parameters = (one.strip().lower() for one in part.split(";"))
        quality = next((one[2:] for one in parameters if one.startswith("q=")), "")
        weight = float(quality) if re.fullmatch(r"[01](\.[0-9]{0,3})?", quality) else 1.0
        wanted.append((-weight, order, name.split("-")[0]))
    known = (name for weight, _, name in sorted(wanted) if weight and name in LANGUAGES)
    return next(known, "")


class OwnText(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A list's own words for one kind of message; what is empty has the service's words.

    `subject` is that of a mail, `button` the name of its link.
    """

    subject: str = ""
    text: str = ""
    button: str = ""


class MessageRules(StoredSettings, frozen=True, kw_only=True):
    """Messages of these `kinds` are sent, and no others.

    Entries of the first `near` ranks are near. Who signed up in no language of the service gets
    messages in `language`; times are those of `timezone`. `texts` has a list's own words by
    language and kind.

    SMS are sent only to numbers of the `sms_countries` (two letters each) that are of one of the
    `sms_number_types`. If `sms_countries` is empty, the country of the list's `identity.region`
    stands for it; without a region the list sends no SMS.

    The list sends at most `mails_per_day` mails and `sms_parts_per_day` parts of SMS on one day in
    UTC. None means that the stack's budget alone is the limit.
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
        """The rules as callers see them."""
        shown: dict[str, Any] = msgspec.json.decode(self.text)
        return shown


warm_decoders(MessageRules)
