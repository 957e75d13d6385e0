"""Parses the admission policies that operators type in forms and options, and describes policies in
words.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from waitlist_cli.errors import WrongUsage
from waitlist_cli.operations.action import Field
from waitlist_cli.operations.declared import defaults
from waitlist_cli.terminal.output import estimate_text, format_count, format_duration
from waitlist_cli.terminal.times import A_TIME, parse_instant

PERIOD_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
RATE = re.compile(r"([0-9]+)/(second|minute|hour|day)")
SCHEDULED = re.compile(r"([0-9]+) at (\S.*)")
HOURS = re.compile(r"(\d\d:\d\d) ?- ?(\d\d:\d\d)(?: (\S+))?")
CRON_FIELDS = 5
# The service's default values for a new policy.
DEFAULTS = defaults("admission")


def admits_alone(policy: Mapping[str, Any]) -> bool:
    """Return whether a policy can admit people without an operator."""
    return bool(policy["rate"] or policy["schedule"] or policy["max_inside"])


def rate_of(text: str) -> dict[str, Any] | None:
    """Parse a rate of the form COUNT/PERIOD. Return None if the text is empty."""
    if not text:
        return None
    found = RATE.fullmatch(text)
    if not found:
        raise WrongUsage(f"--rate {text}: give COUNT/PERIOD, such as 500/minute or 20/hour.")
    return {"count": int(found[1]), "per": found[2]}


def rate_text(rate: Mapping[str, Any]) -> str:
    """Describe a rate in words, such as `500 a minute`."""
    begins = f" from {rate['from']}" if rate.get("from") else ""
    enters = " who enter" if rate.get("counts") == "entered" else ""
    return f"{rate['count']:,} a {rate['per']}{enters}{begins}"


def schedule_of(
    texts: Iterable[str], label: str = "--schedule", zone: str = ""
) -> list[dict[str, Any]]:
    """Parse a schedule, such as `100 at 2026-12-01T09:00:00Z` or `100 at 0 9 * * * Europe/Berlin`.

    A time without a UTC offset is a local time in `zone`. If no `zone` is given, each time needs an
    offset. Error messages begin with `label`.
    """
    return [_scheduled(text, label, zone) for text in texts if text]


def _scheduled(text: str, label: str, zone: str) -> dict[str, Any]:
    found = SCHEDULED.fullmatch(text)
    words = found[2].split() if found else []
    if not found or len(words) not in (1, CRON_FIELDS, CRON_FIELDS + 1):
        raise WrongUsage(
            f"{label} {text!r}: give '100 at {'2026-12-01T09:00' if zone else A_TIME}' or '100 at "
            "0 9 * * * Europe/Berlin' (a cron expression, followed by a time zone unless it is the "
            "waitlist's own)."
        )
    if len(words) == 1:
        if zone:
            at = Field("schedule", f"{label} {text!r}").instant(words[0], zone)
            return {"at": at, "count": int(found[1])}
        parse_instant(words[0], f"{label} {text!r}")
        return {"at": words[0], "count": int(found[1])}
    cron, named = " ".join(words[:CRON_FIELDS]), words[CRON_FIELDS:]
    return {"cron": cron, "timezone": named[0] if named else None, "count": int(found[1])}


def hours_of(text: str, label: str = "--offer-hours") -> dict[str, Any] | None:
    """Parse daily hours of the form `FROM-TO [ZONE]`. Return None if the text is empty.

    Error messages begin with `label`.
    """
    if not text:
        return None
    found = HOURS.fullmatch(text)
    if not found:
        raise WrongUsage(
            f"{label} {text!r}: give '08:00-22:00 Europe/Berlin' (without a time zone, the "
            "waitlist's own is used)."
        )
    return {"from": found[1], "to": found[2], "timezone": found[3]}


def hours_text(hours: Mapping[str, Any]) -> str:
    """Format daily hours as text that `hours_of` can parse."""
    return f"{hours['from']}-{hours['to']} {hours['timezone'] or ''}".strip()


def hours_line(policy: Mapping[str, Any] | None) -> str:
    """Format a policy's offer hours as text that `hours_of` can parse. Return "" if the policy
    makes offers at any time.
    """
    hours = (policy or DEFAULTS).get("offer_hours")
    return hours_text(hours) if hours else ""


def presence_of(seconds: int | None) -> dict[str, int] | None:
    """Return a `presence` setting that passes over people whose page has not polled for this many
    seconds. If `seconds` is None or 0, return None, which turns the setting off.
    """
    return {"seconds": seconds} if seconds else None


def presence_text(presence: Mapping[str, int] | None) -> str:
    """Describe the `presence` setting in words."""
    return f"{presence['seconds']} seconds without a poll" if presence else "never"


def value_text(value: Any) -> Any:
    """If the value is a group of settings, such as `misses`, describe it in words. Otherwise,
    return it unchanged.
    """
    if not isinstance(value, Mapping):
        return value
    return ", ".join(f"{name.replace('_', ' ')} {part}" for name, part in value.items())


def policy_text(policy: Mapping[str, Any] | None) -> str:
    """Describe the limits of a policy in words."""
    if policy is None:
        return "by hand only"
    parts = [rate_text(policy["rate"])] if policy["rate"] else []
    parts += map(scheduled_text, policy["schedule"])
    if is_sum(policy):
        parts = [" and ".join(parts)]
    if policy["max_inside"]:
        parts.append(f"at most {policy['max_inside']:,} inside")
    if parts and policy.get("offer_hours"):
        parts.append(hours_text(policy["offer_hours"]))
    if parts and policy.get("presence"):
        parts.append(f"people are away after {presence_text(policy['presence'])}")
    return ", ".join(parts) or "by hand only"


def is_sum(policy: Mapping[str, Any]) -> bool:
    """Return whether the policy offers both the slots of its rate and the slots of its schedule."""
    return bool(policy.get("combine") == "sum" and policy["rate"] and policy["schedule"])


def schedule_line(scheduled: Mapping[str, Any], count: str = "d") -> str:
    """Format a scheduled time as text that `schedule_of` can parse."""
    when = scheduled.get("at") or f"{scheduled['cron']} {scheduled.get('timezone') or ''}".strip()
    return f"{scheduled['count']:{count}} at {when}"


def scheduled_text(scheduled: Mapping[str, Any]) -> str:
    """Format a scheduled time for people, with commas in the number of slots."""
    return schedule_line(scheduled, ",")


def no_show_warning(waitlist: Mapping[str, Any], policy: Mapping[str, Any]) -> str | None:
    """If no-shows can occupy slots for a long time under this policy, return a warning. Otherwise,
    return None.
    """
    if policy["no_show"] != "keep_place" or policy["acceptance"] != "enter":
        return None
    attempts = waitlist["max_attempts"]
    taken = format_duration(attempts * policy["offer_seconds"])
    return (
        "With keep_place, the next offer goes to the no-show again, and not to the people behind. "
        f"A person who never enters gets {format_count(attempts, 'offer', 'offers')} of "
        f"{format_duration(policy['offer_seconds'])}, occupies a slot for {taken}, and is then "
        "parked. With to_back, the next person gets the slot."
    )


def past_warning(
    before: Mapping[str, Any] | None, policy: Mapping[str, Any], now: datetime
) -> str | None:
    """If the schedule was changed and contains times in the past, return a warning. Otherwise,
    return None.
    """
    saved, new = (
        list(map(scheduled_text, version["schedule"])) for version in (before or DEFAULTS, policy)
    )
    times = [scheduled["at"] for scheduled in policy["schedule"] if scheduled.get("at")]
    past = [at for at in times if parse_instant(at, "Schedule") <= now]
    if saved == new or not past:
        return None
    return (
        f"{', '.join(past)} {'has' if len(past) == 1 else 'have'} passed. A new schedule gives no "
        "slots for times in the past. Choose a later time."
    )


def preview_text(policy: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Describe a simulation, such as `500 a minute: the last of 50,000 people waits 1 h 40 min`."""
    people = f"the last of {format_count(found['position'], 'person', 'people')}"
    estimate = found["estimated_wait"]
    if estimate is None:
        return f"{policy_text(policy)}: {people} gets no place within a year"
    return f"{policy_text(policy)}: {people} waits {estimate_text(estimate)}"
