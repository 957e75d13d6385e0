"""Checks the times of options, forms and files, and converts them to UTC, which the API takes."""

import re
from datetime import UTC, datetime, timedelta, tzinfo

from waitlist_cli.errors import WrongUsage

A_TIME = "2026-12-01T09:00:00Z"
AGO = re.compile(r"([0-9]{1,6})(min|h|d)")
UNITS = {"min": "minutes", "h": "hours", "d": "days"}


def utc(text: str, zone: tzinfo = UTC, time_format: str | None = None) -> str:
    """Return a time in UTC; raises ValueError or OverflowError if `text` is not a time."""
    moment = _parsed(text, time_format)
    # A time without an offset is in `zone`.
    aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return aware.astimezone(UTC).isoformat().replace("+00:00", "Z")


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
    return datetime.strptime(text, time_format)  # noqa: DTZ007 (utc gives it its zone)
