"""SMS: to which numbers a list sends them, and in how many parts they are billed. No I/O."""

from waitlist_api.settings.identity import IdentityRules
from waitlist_api.settings.messages import MessageRules, NumberType

# The default alphabet of 3GPP TS 23.038 (formerly GSM 03.38), section 6.2.1, without its escape
# character. Each of these characters takes 7 bits.
ALPHABET = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
# Section 6.2.1.1: each of these takes two places, because an escape character comes before it.
EXTENSION = frozenset("^{}\\[~]|€\f")
# The characters of a text that is one part, and of each part of a longer text. Parts of a longer
# text also have a header that puts them together. A text with any other character is sent in UCS-2.
DEFAULT_ALONE, DEFAULT_EACH = 160, 153
UCS2_ALONE, UCS2_EACH = 70, 67


def sms_parts(text: str) -> int:
    """Return in how many parts an SMS is sent, each of which is billed."""
    if ALPHABET.union(EXTENSION).issuperset(text):
        sizes = [2 if one in EXTENSION else 1 for one in text]
        return _parts(sizes, DEFAULT_ALONE, DEFAULT_EACH)
    # A character beyond the basic plane, such as most emoji, is a pair of 16-bit units.
    sizes = [2 if ord(one) > 0xFFFF else 1 for one in text]
    return _parts(sizes, UCS2_ALONE, UCS2_EACH)


def _parts(sizes: list[int], alone: int, each: int) -> int:
    """Return the number of parts; no part ends within a character."""
    if sum(sizes) <= alone:
        return 1
    parts, used = 1, 0
    for size in sizes:
        if used + size > each:
            parts, used = parts + 1, 0
        used += size
    return parts


def sms_countries(rules: MessageRules, identity: IdentityRules | None) -> tuple[str, ...]:
    """Return the countries to whose numbers a list sends SMS."""
    if rules.sms_countries or identity is None or identity.region is None:
        return rules.sms_countries
    return (identity.region,)


def takes_sms(number: str, rules: MessageRules, identity: IdentityRules | None) -> bool:
    """Return whether a list sends SMS to a number in E.164, such as +4915123456789.

    No list sends SMS to numbers that belong to no country, such as satellite numbers.
    """
    import phonenumbers

    parsed = phonenumbers.parse(number)
    country = phonenumbers.region_code_for_number(parsed)
    if country not in sms_countries(rules, identity):
        return False
    return _type_of(phonenumbers.number_type(parsed)) in rules.sms_number_types


def _type_of(found: int) -> NumberType | None:
    """Return the kind of a number, or None if no list sends SMS to such numbers."""
    from phonenumbers import PhoneNumberType

    types: dict[int, NumberType] = {
        PhoneNumberType.MOBILE: "mobile",
        PhoneNumberType.FIXED_LINE_OR_MOBILE: "mobile",
        PhoneNumberType.FIXED_LINE: "fixed_line",
        PhoneNumberType.VOIP: "voip",
        PhoneNumberType.UNKNOWN: "unknown",
    }
    return types.get(found)
