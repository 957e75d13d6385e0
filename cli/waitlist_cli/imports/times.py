"""When somebody applied, as files and people write it, in the UTC that the API takes."""

from datetime import UTC, datetime, tzinfo


def utc(text: str, zone: tzinfo = UTC, time_format: str | None = None) -> str:
    """Return a time in UTC; raises ValueError or OverflowError for what is none."""
    moment = _parsed(text, time_format)
    # What says no offset of its own is meant in the zone that was given.
    aware = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    return aware.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _parsed(text: str, time_format: str | None) -> datetime:
    if time_format is None:
        return datetime.fromisoformat(text)
    return datetime.strptime(text, time_format)  # noqa: DTZ007 (utc gives it its zone)
