"""Mail addresses and telephone numbers, as one spelling for each mailbox or line. No I/O.

The libraries are imported by the first address: lists without `identity` need none of them.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, get_args

from msgspec import Struct

from waitlist_api.settings.identity import IdentityField, IdentityRules

# Google delivers an address with dots, and one of its former domain, to the same mailbox.
GOOGLE = ("gmail.com", "googlemail.com")
BAD_MAIL = "must be a mail address, such as ada@example.com"
UNREACHABLE = (
    "messages can be sent only to mail addresses with ASCII characters alone before the @:"
    " use another address"
)
BAD_NUMBER = "must be a telephone number with its country, such as +49 30 901820, in digits"
BAD_LOCAL_NUMBER = "must be a telephone number, with + if it is of another country than {region}"
# The longest in use have 254 and 17 characters; a library takes long to refuse a very long text.
LONGEST = 320
# A program of tables has made a fraction of a number: its 0 is no digit of the number.
FRACTION = re.compile(r"\+?\d+[.,]0+")


class Address(Struct, frozen=True):
    """The one spelling of an address; `domain` is that of a mail address, in ASCII.

    Amazon SES takes ASCII alone before the `@`: other addresses do not take messages.
    """

    text: str
    domain: str = ""
    takes_messages: bool = True


def address_of(rules: IdentityRules, sent: object) -> Address:
    """Return the address that a list tells people apart by; raise ValueError with what to send."""
    text = sent.strip() if isinstance(sent, str) and len(sent) <= LONGEST else ""
    if rules.field == "email":
        return _mail_address(text, is_plus_same=rules.plus_addresses == "same")
    return _number(text, rules.region)


def is_mail_address(sent: str) -> bool:
    """Return whether a text is a mail address, without asking whether its domain exists."""
    from email_validator import EmailNotValidError, validate_email

    try:
        validate_email(sent.strip(), check_deliverability=False, allow_quoted_local=True)
    except EmailNotValidError:
        return False
    return True


def mailbox_of(sent: object) -> str:
    """Return a mail address as its person spells it, in ASCII; raise ValueError if it is none.

    Without the quotes that it does not need.
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
    """Yield the addresses of a profile that take messages, with their fields, mail first.

    A list that tells people apart by their addresses sends to these alone.
    """
    for field in get_args(IdentityField):
        if rules is None or rules.field == field:
            with suppress(ValueError):
                given = profile.get(field)
                if field == "email":
                    yield field, mailbox_of(given)
                else:
                    yield field, address_of(rules or IdentityRules(field=field), given).text


def _mail_address(text: str, *, is_plus_same: bool) -> Address:
    from email_validator import EmailNotValidError, validate_email

    try:
        found = validate_email(text, check_deliverability=False, allow_quoted_local=True)
    except EmailNotValidError:
        # Its message repeats parts of the address.
        raise ValueError(BAD_MAIL) from None
    local = unicodedata.normalize("NFC", found.local_part.lower())
    domain = (found.ascii_domain or "").lower()
    if local.startswith('"') or not domain:
        raise ValueError(BAD_MAIL)
    if is_plus_same:
        # An address that begins with + has nothing before it.
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
    # Of any script, also in the 00 of another country.
    text = "".join(str(unicodedata.decimal(one, one)) for one in text)
    if region is None:
        text = re.sub(r"^00", "+", text)
    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        raise bad from None
    # Whether its range is in use, no library knows for long; the length of numbers rarely changes.
    is_possible = (
        phonenumbers.is_possible_number_with_reason(number)
        == phonenumbers.ValidationResult.IS_POSSIBLE
    )
    if number.extension or not is_possible:
        raise bad
    return Address(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))
