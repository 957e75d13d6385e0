"""Converts the local times that operators pick to UTC."""

from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from waitlist_cli.errors import WrongUsage

# The formats in which browsers send a picked time. Browsers omit the seconds if they are 0.
PICKED = ("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")


@cache
def zones() -> list[str]:
    """Return "UTC" and all time zone names that contain a slash, such as Europe/Berlin."""
    return ["UTC", *sorted(name for name in available_timezones() if "/" in name)]


def picked_instant(typed: str, zone: str, label: str) -> datetime:
    """Parse a local time in the `zone` time zone.

    Raises WrongUsage if the clocks skip this time. If they show it twice, return the earlier time.
    """
    if not typed:
        raise WrongUsage(f"{label}: choose a date and time.")
    if zone not in zones():
        raise WrongUsage(
            f"Time zone: {zone!r} is not a time zone. Use a name such as Europe/Berlin."
        )
    form = PICKED[len(typed) > len("2026-12-01T09:00")]
    try:
        instant = datetime.strptime(typed, form).replace(tzinfo=ZoneInfo(zone))
        shown = instant.astimezone(UTC).astimezone(ZoneInfo(zone))
    except (ValueError, OverflowError):
        raise WrongUsage(
            f"{label}: {typed!r} is not a date and time. Use the form 2026-12-01T09:00."
        ) from None
    if shown.replace(tzinfo=None) != instant.replace(tzinfo=None):
        raise WrongUsage(
            f"{label}: the clocks in {zone} skip {instant:%H:%M} on {instant.day} {instant:%B %Y}. "
            "Choose a time before or after the skipped hour."
        )
    return instant


def in_zone(value: str, zone: str) -> str:
    """Format a time for a datetime-local form field. Return "" if there is no time."""
    moment = datetime.fromisoformat(value).astimezone(ZoneInfo(zone)) if value else None
    return f"{moment:%Y-%m-%dT%H:%M:%S}" if moment else ""


def picked_utc(
    typed: str, zone: str, label: str, before: str, shown_zone: str = "UTC"
) -> str | None:
    """Convert the time in a form field to UTC. Return None if the field is empty.

    `before` is the saved time, which the form showed in the `shown_zone` time zone. If the operator
    has not edited the field, return `before`, so that its milliseconds are not lost.
    """
    if not typed:
        return None
    shown = (typed, f"{typed}:00")
    if before and in_zone(before, shown_zone) in shown:
        return before
    picked = picked_instant(typed, zone, label)
    if before and in_zone(before, zone) in shown:
        return before
    return picked.astimezone(UTC).isoformat().replace("+00:00", "Z")
