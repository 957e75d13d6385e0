"""Converts times of files and options to UTC, which the API takes."""

from datetime import UTC, datetime, tzinfo


def utc(text: str, zone: tzinfo = UTC, time_format: str | None = None) -> str:
    """Return a time in UTC; raises ValueError or OverflowError if `text` is not a time."""
    moment = _parsed(text, time_format)
    # A time without an offset is in `zone`.
    aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return aware.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _parsed(text: str, time_format: str | None) -> datetime:
    if time_format is None:
        return datetime.fromisoformat(text)
    return datetime.strptime(text, time_format)  # noqa: DTZ007 (utc gives it its zone)
