"""Normalise email addresses and telephone numbers, so that each has exactly one spelling."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, get_args

from msgspec import Struct

from waitlist_api.settings.identity import IdentityField, IdentityRules
from waitlist_api.settings.sms import region_of_numbers
from waitlist_api.settings.waitlist import WaitlistSettings

# Google ignores dots before the @, and delivers email for gmail.com and googlemail.com to the same
# mailbox.
GOOGLE = ("gmail.com", "googlemail.com")
BAD_MAIL = "must be an email address, such as ada@example.com"
UNREACHABLE = (
    "messages can be sent only to email addresses that have only ASCII characters before the @:"
    " use another address"
)
BAD_NUMBER = "must be a telephone number in digits with its country code, such as +49 30 901820"
BAD_LOCAL_NUMBER = (
    "must be a telephone number, and needs a country code with + if it is not in {region}"
)
# The maximum length of a text that is parsed as an address. Valid email addresses have at most 254
# characters, and telephone numbers at most 17. The parsing libraries take a long time to reject
# very long texts.
LONGEST = 320
# A spreadsheet may turn the telephone number 49301234 into the decimal number `49301234.0`. Reject
# it, because the zero after the point would become a digit of the telephone number.
FRACTION = re.compile(r"\+?\d+[.,]0+")
# An extension at the end of a telephone number, such as "ext. 12".
EXTENSION = re.compile(r"\s*(;ext=|ext\.?|x|#)\s*\d{1,7}$", re.IGNORECASE)
# A telephone number has 3 to 15 digits. A prefix for international calls, such as 00, can add up to
# 5 digits.
FEWEST_DIGITS, MOST_DIGITS = 3, 20


class Address(Struct, frozen=True):
    """A normalised address.

    `takes_messages` is false for addresses with non-ASCII characters before the `@`, because Amazon
    SES cannot send email to them.
    """

    text: str
    domain: str = ""
    takes_messages: bool = True


def normalise_address(rules: IdentityRules, sent: object) -> Address:
    """Normalise an address that identifies a guest. Raise ValueError if the address is invalid."""
    text = sent.strip() if isinstance(sent, str) and len(sent) <= LONGEST else ""
    if rules.field == "email":
        return _mail_address(text, is_plus_same=rules.plus_addresses == "same")
    return _number(text, rules.region)


def is_mail_address(sent: str) -> bool:
    """Return whether the text is a valid email address. The domain does not have to exist."""
    from email_validator import EmailNotValidError, validate_email

    try:
        validate_email(sent.strip(), check_deliverability=False, allow_quoted_local=True)
    except EmailNotValidError:
        return False
    return True


def parse_mailbox(sent: object) -> str:
    """Normalise an email address, so that its domain is ASCII. Raise ValueError if the text is not
    a valid email address.
    """
    from email_validator import EmailNotValidError, validate_email

    text = sent.strip() if isinstance(sent, str) and len(sent) <= LONGEST else ""
    try:
        found = validate_email(text, check_deliverability=False, allow_quoted_local=True)
        spelled = found.ascii_email
    except EmailNotValidError:
        spelled = None
    if not spelled or spelled.startswith('"'):
        raise ValueError(BAD_MAIL)
    return spelled


def parse_number(sent: object, region: str | None) -> str:
    """Return a telephone number in E.164 format.

    A number without a country code is assumed to be from `region`. Raise ValueError if the text is
    not a valid telephone number.
    """
    text = sent.strip() if isinstance(sent, str) and len(sent) <= LONGEST else ""
    with suppress(ValueError):
        return _number(text, None).text
    return _number(text, region).text


def may_be_number(sent: str) -> bool:
    """Return whether a text looks like a telephone number, even if its country is not known."""
    text = EXTENSION.sub("", _plain_digits(sent.strip()))
    if any(map(str.isalpha, text)) or not FEWEST_DIGITS <= _count_digits(text) <= MOST_DIGITS:
        return False
    if text.startswith(("+", "\uff0b")):
        try:
            _number(text, None)
        except ValueError:
            return False
    return True


def addresses_for_messages(
    profile: Mapping[str, Any], settings: WaitlistSettings
) -> Iterator[tuple[IdentityField, str]]:
    """Yield the name and value of each profile field whose address can receive messages."""
    rules = settings.identity
    for field in get_args(IdentityField):
        if rules is None or rules.field == field:
            with suppress(ValueError):
                given = profile.get(field)
                if field == "email":
                    yield field, parse_mailbox(given)
                else:
                    yield field, parse_number(given, region_of_numbers(settings))


def _mail_address(text: str, *, is_plus_same: bool) -> Address:
    from email_validator import EmailNotValidError, validate_email

    try:
        found = validate_email(text, check_deliverability=False, allow_quoted_local=True)
    except EmailNotValidError:
        # The library's error message repeats parts of the address, so leave the message out.
        raise ValueError(BAD_MAIL) from None
    local = unicodedata.normalize("NFC", found.local_part.lower())
    domain = (found.ascii_domain or "").lower()
    if local.startswith('"') or not domain:
        raise ValueError(BAD_MAIL)
    if is_plus_same:
        # Drop a plus sign and everything after it, such as `+news` in ada+news@example.com, unless
        # the address begins with this plus sign.
        local = local[:1] + local[1:].partition("+")[0]
        if domain in GOOGLE:
            local, domain = local.replace(".", ""), GOOGLE[0]
    return Address(f"{local}@{domain}", domain, found.ascii_email is not None)


def _number(text: str, region: str | None) -> Address:
    import phonenumbers

    bad = ValueError(BAD_LOCAL_NUMBER.format(region=region) if region else BAD_NUMBER)
    text = _plain_digits(text)
    if any(map(str.isalpha, text)) or FRACTION.fullmatch(text):
        raise bad
    if region is None:
        text = re.sub(r"^00", "+", text)
    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        raise bad from None
    # Check only the number's length, not whether its range is in use. Allowed lengths rarely
    # change, but new ranges are introduced more often than the library is updated.
    is_possible = (
        phonenumbers.is_possible_number_with_reason(number)
        == phonenumbers.ValidationResult.IS_POSSIBLE
    )
    if number.extension or not is_possible:
        raise bad
    return Address(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))


def _plain_digits(text: str) -> str:
    """Return the text without a leading `tel:`, and with all digits converted to ASCII."""
    text = re.sub(r"^tel:", "", text, flags=re.IGNORECASE)
    return "".join(str(unicodedata.decimal(character, character)) for character in text)


def _count_digits(text: str) -> int:
    return sum(map(str.isdecimal, text))
