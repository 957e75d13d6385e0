"""A launch as an operator types it: many slots at a time that is picked, then a rate."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from waitlist_cli.console.actions import Form
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.policies import DEFAULTS, PERIOD_SECONDS

# What a browser sends for a picked time: seconds only if they are not 0.
PICKED = ("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")


@cache
def zones() -> list[str]:
    """Return UTC and the names of the time zones of a place."""
    return ["UTC", *sorted(name for name in available_timezones() if "/" in name)]


def typed_before(policy: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the values of the form for a saved policy, empty if it is no launch; times in UTC."""
    policy = policy or DEFAULTS
    rate, times = policy["rate"] or {}, policy["schedule"]
    kept = {"offer_seconds", "pass_seconds", "customer_exit"}
    typed = {"at": "", "count": "", "rate_count": "", "rate_per": "minute", "max_inside": ""}
    typed |= {name: policy[name] for name in kept}
    if len(times) == 1 and times[0].get("at") and rate.get("from"):
        at = datetime.fromisoformat(times[0]["at"]).astimezone(UTC)
        typed |= {"at": f"{at:%Y-%m-%dT%H:%M:%S}", "count": times[0]["count"]}
        typed |= {"rate_count": rate["count"], "rate_per": rate["per"]}
        typed["max_inside"] = policy["max_inside"] or ""
    return typed


def launch_of(form: Form) -> dict[str, Any]:
    """Return the policy of the form; raises WrongUsage."""
    at = _instant(form.text("at"), form.text("timezone")).isoformat()
    count = _number(form, "count", "People at the start")
    rate = _number(form, "rate_count", "Afterwards")
    per = form.text("rate_per")
    if per not in PERIOD_SECONDS:
        raise WrongUsage(f"Afterwards: {per!r} is not a period.")
    return {
        **DEFAULTS,
        "schedule": [{"at": at, "count": count}],
        "rate": {"count": rate, "per": per, "from": at, "counts": "entered"},
        "combine": "sum",
        "max_inside": form.number("max_inside", "At most inside") or None,
        "offer_seconds": _number(form, "offer_seconds", "Offers last"),
        "pass_seconds": _number(form, "pass_seconds", "Passes last"),
        "no_show": form.text("no_show") or DEFAULTS["no_show"],
        "customer_exit": form.text("customer_exit") or DEFAULTS["customer_exit"],
    }


def _number(form: Form, name: str, label: str) -> int:
    number = form.number(name, label)
    if not number:
        raise WrongUsage(f"{label}: give a number from 1 on.")
    return number


def _instant(typed: str, zone: str) -> datetime:
    """Return the time at which the clocks of a zone show what was picked.

    A time that they show twice is the first of the two.
    """
    if not typed:
        raise WrongUsage("Begins: choose a date and a time.")
    if zone not in zones():
        raise WrongUsage(f"Time zone: {zone!r} is not a time zone, such as Europe/Berlin.")
    form = PICKED[len(typed) > len("2026-12-01T09:00")]
    try:
        instant = datetime.strptime(typed, form).replace(tzinfo=ZoneInfo(zone))
        shown = instant.astimezone(UTC).astimezone(ZoneInfo(zone))
    except (ValueError, OverflowError):
        raise WrongUsage(
            f"Begins: {typed!r} is not a date and a time, such as 2026-12-01T09:00."
        ) from None
    if shown.replace(tzinfo=None) != instant.replace(tzinfo=None):
        raise WrongUsage(
            f"Begins: the clocks in {zone} skip {instant:%H:%M} on {instant.day} {instant:%B %Y}. "
            "Choose a time before or after the hour that they skip."
        )
    return instant
