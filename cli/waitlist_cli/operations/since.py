"""Times of --since: today, 1h, 30min, 2d, or a date or time."""

import re
from datetime import UTC, datetime, timedelta

from waitlist_cli.errors import WrongUsage
from waitlist_cli.imports.times import utc

AGO = re.compile(r"([0-9]{1,6})(min|h|d)")
UNITS = {"min": "minutes", "h": "hours", "d": "days"}


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
