"""Normalise mail addresses and telephone numbers, so that each has exactly one spelling.

This module does no I/O. The libraries that parse addresses are imported on first use, because a
waitlist that does not identify guests by address does not need them.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, get_args

from msgspec import Struct

from waitlist_api.settings.identity import IdentityField, IdentityRules

# Google ignores dots before the @, and delivers mail for both domains to the same mailbox.
GOOGLE = ("gmail.com", "googlemail.com")
BAD_MAIL = "must be a mail address, such as ada@example.com"
UNREACHABLE = (
    "messages can be sent only to mail addresses that have only ASCII characters before the @:"
    " use another address"
)
BAD_NUMBER = "must be a telephone number in digits with its country code, such as +49 30 901820"
BAD_LOCAL_NUMBER = (
    "must be a telephone number, and needs a country code with + if it is not in {region}"
)
# Valid mail addresses have at most 254 characters, and telephone numbers 17. Longer texts are
# refused at once, because the libraries need a long time to refuse a very long text.
LONGEST = 320
# Spreadsheets turn telephone numbers into decimal fractions, such as `49301234.0`. The zeros after
# the point are not part of the number, so such a text is refused.
FRACTION = re.compile(r"\+?\d+[.,]0+")


class Address(Struct, frozen=True):
    """A normalised address. `domain` is the domain of a mail address, in ASCII.

    `takes_messages` is false for a mail address that has other characters than ASCII before the
    `@`, because Amazon SES cannot send to it.
    """

    text: str
    domain: str = ""
    takes_messages: bool = True


def normalise_address(rules: IdentityRules, sent: object) -> Address:
    """Normalise an address that identifies a guest.

    ValueError is raised if the address is invalid. Its message says what is expected.
    """
    text = sent.strip() if isinstance(sent, str) and len(sent) <= LONGEST else ""
    if rules.field == "email":
        return _mail_address(text, is_plus_same=rules.plus_addresses == "same")
    return _number(text, rules.region)


def is_mail_address(sent: str) -> bool:
    """Return whether the text is a valid mail address. Whether its domain exists is not checked."""
    from email_validator import EmailNotValidError, validate_email

    try:
        validate_email(sent.strip(), check_deliverability=False, allow_quoted_local=True)
    except EmailNotValidError:
        return False
    return True


def parse_mailbox(sent: object) -> str:
    """Return the mail address in ASCII, in the spelling of the customer.

    Unneeded quotes around the part before the `@` are removed. ValueError is raised if the text is
    not a valid mail address.
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


def addresses_for_messages(
    profile: Mapping[str, Any], rules: IdentityRules | None
) -> Iterator[tuple[IdentityField, str]]:
    """Yield the addresses in a profile to which messages can be sent, each with its field.

    The mail address comes first. If the waitlist identifies customers by address, only this address
    is used.
    """
    for field in get_args(IdentityField):
        if rules is None or rules.field == field:
            with suppress(ValueError):
                given = profile.get(field)
                if field == "email":
                    yield field, parse_mailbox(given)
                else:
                    yield field, normalise_address(rules or IdentityRules(field=field), given).text


def _mail_address(text: str, *, is_plus_same: bool) -> Address:
    from email_validator import EmailNotValidError, validate_email

    try:
        found = validate_email(text, check_deliverability=False, allow_quoted_local=True)
    except EmailNotValidError:
        # The message of the library repeats parts of the address, so it is not passed on.
        raise ValueError(BAD_MAIL) from None
    local = unicodedata.normalize("NFC", found.local_part.lower())
    domain = (found.ascii_domain or "").lower()
    if local.startswith('"') or not domain:
        raise ValueError(BAD_MAIL)
    if is_plus_same:
        # Drop the part from the + on. If the address begins with a +, this + is kept, because
        # nothing would remain otherwise.
        local = local[:1] + local[1:].partition("+")[0]
        if domain in GOOGLE:
            local, domain = local.replace(".", ""), GOOGLE[0]
    return Address(f"{local}@{domain}", domain, found.ascii_email is not None)


def _number(text: str, region: str | None) -> Address:
    import phonenumbers

    bad = ValueError(BAD_LOCAL_NUMBER.format(region=region) if region else BAD_NUMBER)
    text = re.sub(r"^tel:", "", text, flags=re.IGNORECASE)
    if any(map(str.isalpha, text)) or FRACTION.fullmatch(text):
        raise bad
    # Convert the digits of all scripts to ASCII, so that the prefix 00 is recognised too.
    text = "".join(str(unicodedata.decimal(character, character)) for character in text)
    if region is None:
        text = re.sub(r"^00", "+", text)
    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        raise bad from None
    # Check only the length of the number. The ranges that are in use change too often for a library
    # to know them, but lengths rarely change.
    is_possible = (
        phonenumbers.is_possible_number_with_reason(number)
        == phonenumbers.ValidationResult.IS_POSSIBLE
    )
    if number.extension or not is_possible:
        raise bad
    return Address(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))
