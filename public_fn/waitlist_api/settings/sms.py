"""Decide which numbers get SMS messages from a waitlist, and count the billed parts."""

from waitlist_api.settings.identity import IdentityRules
from waitlist_api.settings.messages import MessageRules, NumberType
from waitlist_api.settings.waitlist import WaitlistSettings

# The default alphabet of 3GPP TS 23.038 (formerly GSM 03.38), section 6.2.1, without the escape
# character. Each of these characters takes 7 bits.
ALPHABET = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
# The extension of the alphabet in section 6.2.1.1. Each of these characters counts twice, because
# it is preceded by an escape character.
EXTENSION = frozenset("^{}\\[~]|€\f")
# The maximum number of characters in an SMS message that has only one part, and in each part of a
# longer message. If a character is not in the alphabet, the message is sent as UCS-2, which has
# lower limits.
DEFAULT_ALONE, DEFAULT_EACH = 160, 153
UCS2_ALONE, UCS2_EACH = 70, 67


def count_sms_parts(text: str) -> int:
    """Return the number of parts in which an SMS message is sent. Each part is billed."""
    if ALPHABET.union(EXTENSION).issuperset(text):
        sizes = [2 if character in EXTENSION else 1 for character in text]
        return _parts(sizes, DEFAULT_ALONE, DEFAULT_EACH)
    # Characters outside the basic multilingual plane, such as most emoji, take two 16-bit units.
    sizes = [2 if ord(character) > 0xFFFF else 1 for character in text]
    return _parts(sizes, UCS2_ALONE, UCS2_EACH)


def _parts(sizes: list[int], alone: int, each: int) -> int:
    """Return the number of parts in which a text is sent.

    A character is never split between two parts.
    """
    if sum(sizes) <= alone:
        return 1
    parts, used = 1, 0
    for size in sizes:
        if used + size > each:
            parts, used = parts + 1, 0
        used += size
    return parts


def sms_countries(rules: MessageRules, identity: IdentityRules | None) -> tuple[str, ...]:
    """Return the countries to which a waitlist sends SMS messages."""
    if rules.sms_countries or identity is None or identity.region is None:
        return rules.sms_countries
    return (identity.region,)


def region_of_numbers(settings: WaitlistSettings) -> str | None:
    """Return the country of telephone numbers without a country code, or None if the settings name
    no such country.
    """
    if settings.identity is not None and settings.identity.region is not None:
        return settings.identity.region
    countries = () if settings.messages is None else settings.messages.sms_countries
    return countries[0] if len(countries) == 1 else None


def takes_sms(number: str, rules: MessageRules, identity: IdentityRules | None) -> bool:
    """Return whether a waitlist sends SMS messages to a number, which must be in E.164 format."""
    import phonenumbers

    parsed = phonenumbers.parse(number)
    country = phonenumbers.region_code_for_number(parsed)
    if country not in sms_countries(rules, identity):
        return False
    return _type_of(phonenumbers.number_type(parsed)) in rules.sms_number_types


def _type_of(found: int) -> NumberType | None:
    """Return a number's type, or None if numbers of this type never receive SMS messages."""
    from phonenumbers import PhoneNumberType

    types: dict[int, NumberType] = {
        PhoneNumberType.MOBILE: "mobile",
        PhoneNumberType.FIXED_LINE_OR_MOBILE: "mobile",
        PhoneNumberType.FIXED_LINE: "fixed_line",
        PhoneNumberType.VOIP: "voip",
        PhoneNumberType.UNKNOWN: "unknown",
    }
    return types.get(found)
