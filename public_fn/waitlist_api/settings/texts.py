"""Kinds of text that several settings share."""

import re
from datetime import datetime
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from waitlist_api.clock import iso_of, millis_of
from waitlist_api.settings.declared import Setting

ATTRIBUTE = r"[a-z][a-z0-9_]{0,31}"
# Matches a character that is safe to display. Control characters, line separators and bidirectional
# characters are unsafe, because they can change what a terminal shows.
SHOWN = r"[^\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
WITHOUT_CONTROLS = f"^{SHOWN}*$"
# Matches text that is safe to display and contains at least one visible character.
NOT_BLANK = f"^{SHOWN}*{SHOWN[:-1]}\\s]{SHOWN}*$"
# Matches text that may contain line breaks, but no other control characters.
LINES = r"^[^\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$"
UNSAFE = "must not contain control, line separator or bidirectional characters"
NOT_UTC = "must be a time in UTC, such as 2026-11-21T09:30:00Z"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|\+00:00)"


def parse_utc(value: object) -> datetime:
    """Parse a time in UTC. Raise ValueError if the value has a different format."""
    refused = ValueError(NOT_UTC)
    if not isinstance(value, str) or not re.fullmatch(TIME, value, re.ASCII):
        raise refused
    try:
        return datetime.fromisoformat(value)
    except ValueError as error:
        raise refused from error


def millis_or_none(time: str | None) -> int | None:
    """Convert a stored time in UTC to milliseconds since 1970."""
    return None if time is None else max(0, millis_of(datetime.fromisoformat(time)))


def _moment(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError("must be an ISO 8601 time, such as 2026-12-01T09:00:00Z") from error
    if moment.tzinfo is None:
        raise ValueError("needs Z or an offset from UTC, such as +01:00")
    return text


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError("must be an IANA time zone, such as Europe/Berlin") from error
    return name


def _country(region: str) -> str:
    # This import is slow and rarely needed.
    from phonenumbers import SUPPORTED_REGIONS

    if region not in SUPPORTED_REGIONS:
        raise ValueError("must be a country that has telephone numbers, such as DE")
    return region


BLANK = "must not consist only of spaces"


def check_not_blank(text: str) -> str:
    """Return the text. Raise ValueError if it consists only of spaces or line breaks."""
    if text.isspace():
        raise ValueError(BLANK)
    return text


# The languages of the customer's page and the service's default texts.
Language = Literal["en", "de", "fr", "es", "ar"]
# One line of text that can be displayed safely on terminals and screens.
ShownText = Annotated[str, Setting(pattern=WITHOUT_CONTROLS, refusal=UNSAFE)]
NameText = Annotated[ShownText, Setting(min_length=1, pattern=NOT_BLANK, refusal=BLANK)]
TextOfLines = Annotated[str, Setting(pattern=LINES, refusal=UNSAFE)]
AttributeName = Annotated[str, Setting(pattern=f"^{ATTRIBUTE}$")]
TimeZone = Annotated[str, Setting(max_length=64, check=_zone)]
# A two-letter country code (ISO 3166).
Country = Annotated[str, Setting(pattern="^[A-Z]{2}$", check=_country)]
# A time with its offset from UTC, stored exactly as it was sent.
Moment = Annotated[str, Setting(max_length=40, check=_moment)]
# A time in UTC, stored with milliseconds.
UtcText = Annotated[
    str, Setting(pattern=f"^{TIME}$", refusal=NOT_UTC, check=lambda text: iso_of(parse_utc(text)))
]
