"""Parses times from options, forms and files, and converts them to UTC for the API."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo

from waitlist_cli.errors import WrongUsage

A_TIME = "2026-12-01T09:00:00Z"
ZONE_NAME = "%Z"
UTC_NAMES = ("UTC", "GMT", "Z")
AGO = re.compile(r"([0-9]{1,6})(min|h|d)")
INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)")
DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
UNITS = {"min": "minutes", "h": "hours", "d": "days"}


class SkippedTime(ValueError):
    """Raised for a local time that does not exist because clocks skip it when they go forward in
    spring.
    """


def read_time(text: str, zone: tzinfo = UTC, time_format: str | None = None) -> datetime:
    """Parse a time. If the time has no UTC offset, it is a local time in `zone`.

    In autumn, clocks show some local times twice. For such a time, return the earlier of the two.
    In spring, clocks skip some local times. For such a time, raise SkippedTime.
    """
    moment = _parsed(text, time_format)
    if moment.tzinfo:
        return moment
    aware = moment.replace(tzinfo=zone)
    if aware.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != moment:
        raise SkippedTime(text)
    return aware


def is_shown_twice(moment: datetime) -> bool:
    """Return whether clocks in the time zone show this time twice, as happens in autumn."""
    return moment.utcoffset() != moment.replace(fold=1).utcoffset()


def in_utc(moment: datetime) -> str:
    """Format a time in UTC, such as 2026-12-01T09:00:00Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def local_text(moment: datetime, zone: str, clock: str = "%H:%M") -> str:
    """Format a time in a time zone, such as `14:03 on Sun 29 Nov 2026 (Europe/Berlin)`."""
    local = moment.astimezone(ZoneInfo(zone))
    return f"{local:{clock} on %a} {local.day} {local:%b %Y} ({zone})"


def localize(text: str, zone: str) -> str:
    """Convert the times in a text to the time zone `zone`, and write them in the form `14:03:07 on
    Sun 29 Nov 2026 (Europe/Berlin)`.

    A time without a UTC offset stays unchanged.
    """
    return _replace_times(text, lambda moment: local_text(moment, zone, "%H:%M:%S"))


def localize_briefly(text: str, zone: str) -> str:
    """Convert the times in a text to the time zone `zone`, and write them in the form `2026-11-29
    14:03:07 CET`. If the time zone is UTC, the form is `2026-11-29 13:03:07Z`.

    A time without a UTC offset stays unchanged.
    """
    own = ZoneInfo(zone)
    end = "Z" if zone == "UTC" else " %Z"
    return _replace_times(text, lambda moment: f"{moment.astimezone(own):%Y-%m-%d %H:%M:%S{end}}")


def _replace_times(text: str, written: Callable[[datetime], str]) -> str:
    def in_place(found: re.Match[str]) -> str:
        try:
            return written(datetime.fromisoformat(found[0]))
        except (ValueError, OverflowError):
            # The text contains a time that does not exist, for example on the 30th of February.
            return found[0]

    return INSTANT.sub(in_place, text)


def utc(text: str, zone: tzinfo = UTC) -> str:
    """Parse a time and convert it to UTC. A time without a UTC offset is a local time in `zone`.

    Raise ValueError or OverflowError if `text` is not a time.
    """
    return in_utc(read_time(text, zone))


def check_time_format(time_format: str) -> str:
    """Return `time_format`, or raise WrongUsage if it cannot be used.

    The directives %I (the hour on a 12-hour clock) and %p (AM or PM) are valid only together.
    """
    directives = re.findall("%(.)", time_format)
    # Without %I (the hour on a 12-hour clock), Python accepts %p (AM or PM) but ignores it.
    if "p" in directives and "I" not in directives:
        raise WrongUsage(f"--time-format {time_format}: use %I for the hour if the format has %p.")
    if "I" in directives and "p" not in directives:
        raise WrongUsage(
            f"--time-format {time_format}: %I needs %p. Use %H for hours from 0 to 23."
        )
    return time_format


def parse_option(text: str, label: str, zone: Callable[[], str]) -> str:
    """Parse a time that an operator typed, and convert it to UTC.

    If the time has no UTC offset, it is a local time in the time zone that the function `zone`
    returns. In error messages, `label` is the name of the option.
    """
    try:
        return _in_utc(text, zone)
    except SkippedTime:
        raise WrongUsage(
            f"{label}: the clocks in {zone()} skip this time. Give an earlier or later time."
        ) from None
    except (ValueError, OverflowError):
        raise WrongUsage(
            f"{label}: give a time such as 2026-03-01T09:30, in the waitlist's time zone."
        ) from None


def _in_utc(text: str, zone: Callable[[], str]) -> str:
    has_offset = datetime.fromisoformat(text).tzinfo is not None
    return utc(text) if has_offset else utc(text, ZoneInfo(zone()))


def since_of(
    text: str | None, now: datetime | None = None, zone: Callable[[], str] = lambda: "UTC"
) -> dict[str, str]:
    """Convert the --since option to the `since` query parameter, which is a time in UTC.

    The option is a time, a date, `today`, or a duration such as 30min. A duration is counted back
    from now. Times without a UTC offset are in the time zone that the function `zone` returns.
    """
    if text is None:
        return {}
    now = now or datetime.now(UTC)
    try:
        if text == "today" or DATE.fullmatch(text):
            own = ZoneInfo(zone())
            day = now.astimezone(own).date() if text == "today" else date.fromisoformat(text)
            return {"since": in_utc(datetime.combine(day, time(), own))}
        if found := AGO.fullmatch(text):
            text = (now - timedelta(**{UNITS[found[2]]: int(found[1])})).isoformat()
        return {"since": _in_utc(text, zone)}
    except (ValueError, OverflowError):
        raise WrongUsage(
            f"--since {text}: give today, 30min, 1h, 2d, 2026-03-01 or 2026-03-01T09:30:00+01:00."
        ) from None


def parse_instant(text: str, label: str) -> datetime:
    """Parse a time that has a UTC offset.

    In error messages, `label` is the name of the option or the field.
    """
    try:
        moment = datetime.fromisoformat(text)
        # A time at the very beginning or end of Python's calendar cannot be converted to UTC.
        moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise WrongUsage(
            f"{label}: {text!r} is not a time. Give a time such as {A_TIME}."
        ) from error
    if moment.tzinfo is None:
        raise WrongUsage(f"{label}: {text!r} has no UTC offset. Give a time such as {A_TIME}.")
    return moment


def check_instant(text: str, label: str) -> str:
    """Return `text`, or raise WrongUsage if `text` is not a time with a UTC offset.

    In the error message, `label` is the name of the option or the field.
    """
    parse_instant(text, label)
    return text


def _parsed(text: str, time_format: str | None) -> datetime:
    if time_format is None:
        return datetime.fromisoformat(text)
    if ZONE_NAME not in re.findall("%.", time_format):
        return datetime.strptime(text, time_format)  # noqa: DTZ007 (read_time gives it its zone)
    # Python's strptime accepts the name of a time zone, but does not apply the time zone to the
    # time. Accept only the names of UTC, because any other name would give the wrong time.
    parts = re.split("(%.)", time_format)
    for name in UTC_NAMES:
        known = "".join(name if part == ZONE_NAME else part for part in parts)
        with suppress(ValueError):
            return datetime.strptime(text, known).replace(tzinfo=UTC)
    raise ValueError(text)
