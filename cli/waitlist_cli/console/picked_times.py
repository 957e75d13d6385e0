"""Times that an operator picks by the clocks of a time zone."""

from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from waitlist_cli.errors import WrongUsage

# What a browser sends for a picked time: seconds only if they are not 0.
PICKED = ("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")


@cache
def zones() -> list[str]:
    """Return UTC and the names of the time zones of a place."""
    return ["UTC", *sorted(name for name in available_timezones() if "/" in name)]


def picked_instant(typed: str, zone: str, label: str) -> datetime:
    """Return the time at which the clocks of a zone show what was picked; raises WrongUsage.

    A time that they show twice is the first of the two.
    """
    if not typed:
        raise WrongUsage(f"{label}: choose a date and a time.")
    if zone not in zones():
        raise WrongUsage(f"Time zone: {zone!r} is not a time zone, such as Europe/Berlin.")
    form = PICKED[len(typed) > len("2026-12-01T09:00")]
    try:
        instant = datetime.strptime(typed, form).replace(tzinfo=ZoneInfo(zone))
        shown = instant.astimezone(UTC).astimezone(ZoneInfo(zone))
    except (ValueError, OverflowError):
        raise WrongUsage(
            f"{label}: {typed!r} is not a date and a time, such as 2026-12-01T09:00."
        ) from None
    if shown.replace(tzinfo=None) != instant.replace(tzinfo=None):
        raise WrongUsage(
            f"{label}: the clocks in {zone} skip {instant:%H:%M} on {instant.day} {instant:%B %Y}. "
            "Choose a time before or after the hour that they skip."
        )
    return instant


def picked_utc(typed: str, zone: str, label: str, before: str) -> str | None:
    """Return a time in UTC, None for an empty field; raises WrongUsage.

    It is the time `before`, to the millisecond, if the clocks of the zone show at that what was
    picked: also if they show it twice.
    """
    if not typed:
        return None
    picked = picked_instant(typed, zone, label)
    if before:
        kept = datetime.fromisoformat(before).astimezone(ZoneInfo(zone))
        if kept.replace(tzinfo=None, microsecond=0) == picked.replace(tzinfo=None):
            return before
    return picked.astimezone(UTC).isoformat().replace("+00:00", "Z")
