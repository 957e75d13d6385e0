"""Admission policies as an operator types and reads them, and how long they take."""

import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import takewhile
from typing import Any
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from waitlist_cli.errors import WrongUsage
from waitlist_cli.output import counted, duration

A_TIME = "2026-12-01T09:00:00Z"
PERIOD_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
RATE = re.compile(r"([0-9]+)/(second|minute|hour|day)")
SCHEDULED = re.compile(r"([0-9]+) at (\S.*)")
CRON_FIELDS = 5
# The service collects at most the places of so many seconds while other limits hold them back.
COLLECTED_SECONDS = 60
HORIZON = timedelta(days=3650)
# The values that the service gives a new policy.
DEFAULTS: dict[str, Any] = {
    "rate": None,
    "schedule": [],
    "combine": "least",
    "max_inside": None,
    "offer_seconds": 600,
    "pass_seconds": 3600,
    "no_show": "to_back",
    "acceptance": "enter",
    "customer_exit": "frees_now",
}


@dataclass(frozen=True)
class Simulation:
    """How many people get a place, and the seconds until the last of them has it."""

    admitted: int
    seconds: int


def admits_alone(policy: Mapping[str, Any]) -> bool:
    """Return whether a policy admits people without an operator."""
    return bool(policy["rate"] or policy["schedule"] or policy["max_inside"])


def rate_of(text: str) -> dict[str, Any] | None:
    """Return the rate of COUNT/PERIOD; None for an empty text."""
    if not text:
        return None
    found = RATE.fullmatch(text)
    if not found:
        raise WrongUsage(f"--rate {text}: give COUNT/PERIOD, such as 500/minute or 20/hour.")
    return {"count": int(found[1]), "per": found[2]}


def rate_text(rate: Mapping[str, Any]) -> str:
    """Return a rate in words: how many a period, from when on, and what counts."""
    begins = f" from {rate['from']}" if rate.get("from") else ""
    enters = " who enter" if rate.get("counts") == "entered" else ""
    return f"{rate['count']:,} a {rate['per']}{enters}{begins}"


def schedule_of(texts: Iterable[str], label: str = "--schedule") -> list[dict[str, Any]]:
    """Return the times of `COUNT at TIME` or `COUNT at CRON [ZONE]`; an empty text is left out.

    Errors call the texts `label`.
    """
    return [_scheduled(text, label) for text in texts if text]


def _scheduled(text: str, label: str) -> dict[str, Any]:
    found = SCHEDULED.fullmatch(text)
    words = found[2].split() if found else []
    if not found or len(words) not in (1, CRON_FIELDS, CRON_FIELDS + 1):
        raise WrongUsage(
            f"{label} {text!r}: give '100 at 2026-12-01T09:00:00Z' or "
            "'100 at 0 9 * * * Europe/Berlin' (a cron expression, and a time zone or UTC)."
        )
    if len(words) == 1:
        instant_of(words[0], f"{label} {text!r}")
        return {"at": words[0], "count": int(found[1])}
    cron, zone = " ".join(words[:CRON_FIELDS]), words[CRON_FIELDS:]
    return {"cron": cron, "timezone": zone[0] if zone else "UTC", "count": int(found[1])}


def policy_text(policy: Mapping[str, Any] | None) -> str:
    """Return the limits of a policy in words."""
    if policy is None:
        return "by hand only"
    parts = [rate_text(policy["rate"])] if policy["rate"] else []
    parts += [scheduled_text(one) for one in policy["schedule"]]
    if is_sum(policy):
        parts = [" and ".join(parts)]
    if policy["max_inside"]:
        parts.append(f"at most {policy['max_inside']:,} inside")
    return ", ".join(parts) or "by hand only"


def is_sum(policy: Mapping[str, Any]) -> bool:
    """Return whether the slots of a rate and of a schedule are added."""
    return bool(policy.get("combine") == "sum" and policy["rate"] and policy["schedule"])


def scheduled_text(scheduled: Mapping[str, Any]) -> str:
    """Return a time of a schedule as `schedule_of` reads it, with commas in the count."""
    if scheduled.get("at"):
        return f"{scheduled['count']:,} at {scheduled['at']}"
    return f"{scheduled['count']:,} at {scheduled['cron']} {scheduled['timezone'] or 'UTC'}"


def longest_seconds(policy: Mapping[str, Any]) -> int:
    """Return how long one customer can take a place: the whole offer, then the whole pass."""
    offer = policy["offer_seconds"] if policy["acceptance"] == "enter" else 0
    return int(offer + policy["pass_seconds"])


def no_show_warning(waitlist: Mapping[str, Any], policy: Mapping[str, Any]) -> str | None:
    """Return what one idle person costs a list whose no-shows keep their place, else None."""
    if policy["no_show"] != "keep_place" or policy["acceptance"] != "enter":
        return None
    attempts = waitlist["max_attempts"]
    taken = duration(attempts * policy["offer_seconds"])
    return (
        "keep_place offers the same person a slot again, before the people behind: a person who "
        f"never enters gets {counted(attempts, 'offer', 'offers')} of "
        f"{duration(policy['offer_seconds'])}, which is {taken} of a slot, and is then parked. "
        "to_back offers it to the next person."
    )


def past_warning(
    before: Mapping[str, Any] | None, policy: Mapping[str, Any], now: datetime
) -> str | None:
    """Return which times of a changed schedule have passed, and so give no slots, else None."""
    saved, new = (
        [scheduled_text(one) for one in of["schedule"]] for of in (before or DEFAULTS, policy)
    )
    times = [one["at"] for one in policy["schedule"] if one.get("at")]
    past = [at for at in times if instant_of(at, "Schedule") <= now]
    if saved == new or not past:
        return None
    return (
        f"{', '.join(past)} has passed: a new schedule gives no slots for a time that has passed. "
        "Choose a later time."
    )


def simulate(policy: Mapping[str, Any], people: int, start: datetime) -> Simulation:
    """Admit people who all wait at `start`, each as soon as rate, schedule and room allow it.

    With `max_inside` this is the worst case: each customer takes the place for the longest time.
    Ends 10 years after the start.
    """
    rate, room = (
        _Rate.of(policy["rate"], start),
        _Room(policy["max_inside"], longest_seconds(policy)),
    )
    slots = _Slots(policy["schedule"], start)
    seconds, adds = 0.0, is_sum(policy)
    for number in range(people):
        at = max(seconds, room.free_at())
        by_schedule = max(at, slots.free_at())
        by_rate = rate.free_at(at if adds else by_schedule) if rate else by_schedule
        at = min(by_rate, by_schedule) if adds else by_rate
        if at > HORIZON.total_seconds():
            return Simulation(number, _whole(seconds))
        seconds = at
        room.take(seconds)
        if rate and (not adds or by_rate <= by_schedule):
            rate.take(seconds)
        if not adds or by_rate > by_schedule:
            slots.take()
    return Simulation(people, _whole(seconds))


def _whole(seconds: float) -> int:
    """Return whole seconds that are not before the time: a place of 08:00 is not there at 07:59."""
    return math.ceil(round(seconds, 3))


@dataclass
class _Rate:
    """Collects at most a minute's slots, or one; empty at the start, or when it begins."""

    interval: float
    most: float
    empty_at: float = 0.0

    @classmethod
    def of(cls, rate: Mapping[str, Any] | None, start: datetime) -> "_Rate | None":
        if rate is None:
            return None
        interval, begins = PERIOD_SECONDS[rate["per"]] / rate["count"], 0.0
        if rate.get("from"):
            begins = (instant_of(rate["from"], "Rate") - start).total_seconds()
        return cls(interval, max(float(COLLECTED_SECONDS), interval), max(0.0, begins))

    def free_at(self, seconds: float) -> float:
        """Return when a slot is there, not before `seconds`."""
        return max(seconds, max(self.empty_at, seconds - self.most) + self.interval)

    def take(self, seconds: float) -> None:
        self.empty_at = max(self.empty_at, seconds - self.most) + self.interval


def instant_of(text: str, label: str) -> datetime:
    """Return a time that has an offset from UTC; errors call it `label`."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise WrongUsage(f"{label}: {text!r} is not a time, such as {A_TIME}.") from error
    if moment.tzinfo is None:
        raise WrongUsage(f"{label}: {text!r} needs Z or an offset from UTC, such as {A_TIME}.")
    return moment


def checked_instant(text: str, label: str) -> str:
    """Return the text of a time that has an offset from UTC; errors call it `label`."""
    instant_of(text, label)
    return text


class _Slots:
    """Slots of the schedule, which stay until they are taken."""

    def __init__(self, schedule: Sequence[Mapping[str, Any]], start: datetime) -> None:
        self._instants = instants_of(schedule, start) if schedule else None
        self._start = start
        self._left = 0
        self._seconds = 0.0

    def free_at(self) -> float:
        while self._instants is not None and self._left == 0:
            at, count = next(self._instants, (None, 0))
            if at is None:
                return float("inf")
            self._left, self._seconds = count, (at - self._start).total_seconds()
        return self._seconds

    def take(self) -> None:
        self._left -= 1


class _Room:
    """Places inside, each taken for `longest` seconds."""

    def __init__(self, most: int | None, longest: int) -> None:
        self._most, self._longest = most, longest
        self._taken: deque[float] = deque()

    def free_at(self) -> float:
        if self._most is None or len(self._taken) < self._most:
            return 0.0
        return self._taken.popleft() + self._longest

    def take(self, seconds: float) -> None:
        if self._most is not None:
            self._taken.append(seconds)


def instants_of(
    schedule: Sequence[Mapping[str, Any]], start: datetime
) -> Iterator[tuple[datetime, int]]:
    """Yield the times of a schedule after `start`, with their places, for 10 years."""
    end = start + HORIZON
    instants = merge(*(_instants(one, start) for one in schedule))
    return takewhile(lambda instant: instant[0] <= end, instants)


def _instants(scheduled: Mapping[str, Any], start: datetime) -> Iterator[tuple[datetime, int]]:
    count = scheduled["count"]
    try:
        if scheduled.get("at"):
            at = datetime.fromisoformat(scheduled["at"])
            times = iter([at] if at > start else [])
        else:
            zone = ZoneInfo(scheduled["timezone"] or "UTC")
            times = CronSim(scheduled["cron"], start.astimezone(zone))
    except CronSimError as error:
        raise WrongUsage(
            f"Schedule {scheduled_text(scheduled)}: {scheduled['cron']} is not a cron expression "
            f"({error}). Give minute, hour, day, month and day of the week, such as 0 9 * * 1-5."
        ) from None
    except (ValueError, KeyError, OSError):
        raise WrongUsage(
            f"Schedule {scheduled_text(scheduled)}: {scheduled['timezone']} is not a time zone. "
            "Give one such as Europe/Berlin."
        ) from None
    return ((moment.astimezone(UTC), count) for moment in times)


def simulation_text(policy: Mapping[str, Any], people: int, found: Simulation) -> str:
    """Return one line: 500 a minute: 50,000 people in 1 h 40 min."""
    text = f"{policy_text(policy)}: {found.admitted:,} people in {duration(found.seconds)}"
    if policy["max_inside"]:
        text += f", if each is inside for the longest time ({duration(longest_seconds(policy))})"
    if found.admitted < people:
        text += f"; {people - found.admitted:,} are still waiting 10 years from now"
    return text
