"""Builds the form for a launch.

At a launch, many slots open at a chosen time, and more follow at a steady rate.
"""

from collections.abc import Mapping
from typing import Any

from waitlist_cli.console.actions import Form
from waitlist_cli.console.picked_times import in_zone, picked_instant
from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.policies import (
    DEFAULTS,
    PERIOD_SECONDS,
    hours_line,
    hours_of,
    presence_of,
)

# Settings for which the launch form has no fields. Saving the form does not change them.
KEPT = ("misses", "decline", "until", "then")


def launch_form_values(policy: Mapping[str, Any] | None, zone: str = "UTC") -> dict[str, Any]:
    """Return the launch form's initial values for this saved policy.

    The start is a local time in the `zone` time zone. If the policy does not describe a launch, the
    start, slots and rate fields are empty.
    """
    policy = policy or DEFAULTS
    rate, times = policy["rate"] or {}, policy["schedule"]
    kept = {"offer_seconds", "pass_seconds", "customer_exit"}
    typed = {"at": "", "count": "", "rate_count": "", "rate_per": "minute", "max_inside": ""}
    typed |= {name: policy[name] for name in kept} | {"offer_hours": hours_line(policy)}
    typed["away_after"] = (policy["presence"] or {}).get("seconds", "")
    if len(times) == 1 and times[0].get("at") and rate.get("from"):
        typed |= {"at": in_zone(times[0]["at"], zone), "count": times[0]["count"]}
        typed |= {"rate_count": rate["count"], "rate_per": rate["per"]}
        typed["max_inside"] = policy["max_inside"] or ""
    return typed


def read_launch(form: Form) -> dict[str, Any]:
    """Return the admission policy that the launch form describes.

    Raises WrongUsage if the form is not valid.
    """
    at = picked_instant(form.text("at"), form.text("timezone"), "Begins").isoformat()
    count = _number(form, "count", "People at the start")
    rate = _number(form, "rate_count", "Afterwards")
    per = form.text("rate_per")
    if per not in PERIOD_SECONDS:
        raise WrongUsage(f"Afterwards: {per!r} is not a period.")
    saved = (form.seen() or {}).get("admission") or DEFAULTS
    return {
        **DEFAULTS,
        **{name: saved[name] for name in KEPT},
        "schedule": [{"at": at, "count": count}],
        "rate": {"count": rate, "per": per, "from": at, "counts": "entered"},
        "combine": "sum",
        "max_inside": form.number("max_inside", "At most inside") or None,
        "offer_seconds": _number(form, "offer_seconds", "Offers last"),
        "pass_seconds": _number(form, "pass_seconds", "Passes last"),
        "no_show": form.text("no_show") or DEFAULTS["no_show"],
        "customer_exit": form.text("customer_exit") or DEFAULTS["customer_exit"],
        "offer_hours": hours_of(form.text("offer_hours"), "Offers between"),
        "presence": presence_of(form.number("away_after", "Away after")),
    }


def _number(form: Form, name: str, label: str) -> int:
    number = form.number(name, label)
    if not number:
        raise WrongUsage(f"{label}: enter a number of at least 1.")
    return number
