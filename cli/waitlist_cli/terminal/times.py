"""Checks the times of options, forms and files, and converts them to UTC, which the API takes."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo

from waitlist_cli.errors import WrongUsage

A_TIME = "2026-12-01T09:00:00Z"
ZONE_NAME = "%Z"
UTC_NAMES = ("UTC", "GMT", "Z")
AGO = re.compile(r"([0-9]{1,6})(min|h|d)")
UNITS = {"min": "minutes", "h": "hours", "d": "days"}


class SkippedTime(ValueError):
    """The clocks of the zone never show this time: they go forward over it."""


def read_time(text: str, zone: tzinfo = UTC, time_format: str | None = None) -> datetime:
    """Return a time with its offset; one that `text` has no offset of is in `zone`.

    A time that the clocks of the zone show twice is the earlier one. Raises ValueError or
    OverflowError if `text` is not a time.
    """
    moment = _parsed(text, time_format)
    if moment.tzinfo:
        return moment
    aware = moment.replace(tzinfo=zone)
    if aware.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != moment:
        raise SkippedTime(text)
    return aware


def is_shown_twice(moment: datetime) -> bool:
    """Return whether the clocks of its zone show a time of `read_time` twice."""
    return moment.utcoffset() != moment.replace(fold=1).utcoffset()


def in_utc(moment: datetime) -> str:
    """Return the text of a time in UTC."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def utc(text: str) -> str:
    """Return a time in UTC; raises ValueError or OverflowError if `text` is not a time."""
    return in_utc(read_time(text))


def checked_format(time_format: str) -> str:
    """Return a format of times; raises WrongUsage for one that would drop a part of a time."""
    directives = re.findall("%(.)", time_format)
    # Python reads AM and PM of any hour, and uses them with %I alone.
    if "p" in directives and "I" not in directives:
        raise WrongUsage(f"--time-format {time_format}: with %p the hour is %I.")
    if "I" in directives and "p" not in directives:
        raise WrongUsage(f"--time-format {time_format}: %I needs %p. An hour from 0 to 23 is %H.")
    return time_format


def typed_utc(text: str, label: str) -> str:
    """Return a time in UTC, which it is without an offset; errors call it `label`."""
    try:
        return utc(text)
    except (ValueError, OverflowError):
        raise WrongUsage(f"{label}: give a time such as 2026-03-01T09:30:00+01:00.") from None


def since_of(text: str | None, now: datetime | None = None) -> dict[str, str]:
    """Return the query parameter `since`, in UTC; none without a text. Raises WrongUsage."""
    if text is None:
        return {}
    now = now or datetime.now(UTC)
    try:
        if text == "today":
            text = now.date().isoformat()
        elif found := AGO.fullmatch(text):
            text = (now - timedelta(**{UNITS[found[2]]: int(found[1])})).isoformat()
        return {"since": utc(text)}
    except (ValueError, OverflowError):
        raise WrongUsage(
            f"--since {text}: give today, 30min, 1h, 2d, 2026-03-01 or 2026-03-01T09:30:00+01:00."
        ) from None


def instant_of(text: str, label: str) -> datetime:
    """Return a time that has an offset from UTC; errors call it `label`."""
    try:
        moment = datetime.fromisoformat(text)
        # The first and last hours of the calendar have no time in UTC.
        moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise WrongUsage(f"{label}: {text!r} is not a time, such as {A_TIME}.") from error
    if moment.tzinfo is None:
        raise WrongUsage(f"{label}: {text!r} needs Z or an offset from UTC, such as {A_TIME}.")
    return moment


def checked_instant(text: str, label: str) -> str:
    """Return the text of a time that has an offset from UTC; errors call it `label`."""
    instant_of(text, label)
    return text


def _parsed(text: str, time_format: str | None) -> datetime:
    if time_format is None:
        return datetime.fromisoformat(text)
    if ZONE_NAME not in re.findall("%.", time_format):
        return datetime.strptime(text, time_format)  # noqa: DTZ007 (read_time gives it its zone)
    # Python reads such a name, and drops it. Most names, such as CST, are of several zones.
    parts = re.split("(%.)", time_format)
    for name in UTC_NAMES:
        known = "".join(name if part == ZONE_NAME else part for part in parts)
        with suppress(ValueError):
            return datetime.strptime(text, known).replace(tzinfo=UTC)
    raise ValueError(text)
