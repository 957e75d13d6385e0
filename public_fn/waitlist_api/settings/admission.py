"""Define the `admission` setting, which makes a waitlist admit customers automatically."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Literal, Self

import msgspec
from cronsim import CronSim, CronSimError
from msgspec.structs import replace

from waitlist_api.clock import millis_of
from waitlist_api.settings.declared import Setting, Settings
from waitlist_api.settings.decline import DeclineRules
from waitlist_api.settings.misses import MissRules
from waitlist_api.settings.presence import Presence
from waitlist_api.settings.texts import Moment, TimeZone, UtcText, millis_or_none
from waitlist_shared import contracts as c
from waitlist_shared.limits import (
    DEFAULT_OFFER_SECONDS,
    MAX_CAPACITY,
    MAX_OFFER_SECONDS,
    MAX_PASS_SECONDS,
    MAX_RATE,
    MAX_SCHEDULE,
    MIN_OFFER_SECONDS,
    MIN_PASS_SECONDS,
)

Period = Literal["second", "minute", "hour", "day"]
CustomerExit = Literal["frees_now", "frees_at_end"]
AfterUntil = Literal["wait", "leave"]

PERIOD_MILLIS: dict[Period, int] = {
    "second": 1000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
}


def _cron(expression: str) -> str:
    """Return the cron expression if it is valid.

    Raise ValueError if it is invalid, or if it matches no time within 50 years.
    """
    try:
        next(CronSim(expression, datetime(2024, 1, 1, tzinfo=UTC)))
    except CronSimError as error:
        raise ValueError(f"is not a cron expression with five fields: {error}") from error
    except StopIteration as error:
        raise ValueError("is a date that never comes, such as 30 February") from error
    if len(expression.split()) != 5:
        raise ValueError("must have five fields: minute, hour, day, month, day of week")
    return expression


TimeOfDay = Annotated[str, Setting(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


class Rate(Settings, frozen=True, kw_only=True):
    """A rate of at most `count` slots per period, spread evenly over the period."""

    count: Annotated[int, Setting(ge=1, le=MAX_RATE)]
    per: Period
    counts: Annotated[
        c.RateCounts,
        Setting(
            "Which offers count towards the rate. With `offered`, every offer counts. With "
            "`entered`, only accepted offers count, so the slot of an offer that is not "
            "accepted can be offered again. Unused slots accumulate, up to the number that "
            "the rate allows in one minute.",
            label="What the rate counts",
            choices={
                "offered": "Every offer counts",
                "entered": "Only accepted offers count",
            },
        ),
    ] = "offered"
    from_: Annotated[
        Moment | None,
        Setting(
            "When the rate starts to produce slots.",
            null="the time at which the rate was saved",
            label="Rate begins",
            examples=["2026-12-01T09:00:00Z"],
        ),
    ] = msgspec.field(default=None, name="from")

    @property
    def from_millis(self) -> int | None:
        """The time of `from` in milliseconds since 1970, or None if `from` is not set."""
        return None if self.from_ is None else millis_of(datetime.fromisoformat(self.from_))


class Scheduled(Settings, frozen=True, kw_only=True):
    """Slots that become available at each time of a cron expression, or once at a given time."""

    cron: Annotated[
        Annotated[str, Setting(max_length=100, check=_cron)] | None,
        Setting(
            "A cron expression with five fields, which are minute, hour, day, month and day of "
            "week. Send either `cron` or `at`.",
            examples=["0 9 * * *"],
        ),
    ] = None
    timezone: Annotated[
        TimeZone | None,
        Setting(
            "The IANA time zone of `cron`. When daylight saving time begins, some local times do "
            "not exist, and the first time after the gap is used instead. When daylight saving "
            "time ends, some local times occur twice, and only the first occurrence is used. If "
            "the minute or hour in `cron` begins with `*`, times that do not exist are skipped "
            "instead, and both occurrences of a time are used.",
            null="the waitlist's time zone",
            examples=["Europe/Berlin"],
        ),
    ] = None
    at: Annotated[
        Moment | None,
        Setting(
            "A single time, with its offset from UTC. Send either `cron` or `at`.",
            examples=["2026-12-01T09:00:00Z"],
        ),
    ] = None
    count: Annotated[
        int,
        Setting("The number of slots that become available at each time.", ge=1, le=MAX_RATE),
    ]

    def in_zone(self, timezone: str) -> Self:
        """Return a copy in which `cron` has this time zone, unless it already has one."""
        return self if self.at or self.timezone else replace(self, timezone=timezone)

    def problems(self) -> Iterator[tuple[str, str]]:
        if (self.cron is None) == (self.at is None):
            yield "", "must have either cron or at"
        elif self.at is not None and self.timezone is not None:
            yield "", "must not have a timezone with at, because at has its own offset"


class OfferHours(Settings, frozen=True, kw_only=True):
    """The hours of the day in which the waitlist offers slots automatically."""

    from_: Annotated[TimeOfDay, Setting(examples=["08:00"])] = msgspec.field(name="from")
    to: Annotated[
        TimeOfDay,
        Setting(
            "The end of the hours. If `to` is earlier than `from`, the hours end on the next day.",
            examples=["22:00"],
        ),
    ]
    timezone: Annotated[
        TimeZone | None,
        Setting(
            "The IANA time zone of `from` and `to`. When daylight saving time begins, some local "
            "times do not exist, and the first time after the gap is used instead. When daylight "
            "saving time ends, some local times occur twice, and only the first occurrence is "
            "used.",
            null="the waitlist's time zone",
            examples=["Europe/Berlin"],
        ),
    ] = None

    def in_zone(self, timezone: str) -> Self:
        """Return a copy in which the hours have this time zone, unless they already have one."""
        return self if self.timezone else replace(self, timezone=timezone)

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.from_ == self.to:
            yield (
                "",
                "must have different times in from and to. To offer at any time, set offer_hours "
                "to null.",
            )


class AdmissionPolicy(Settings, frozen=True, kw_only=True):
    """The policy by which a waitlist offers slots to customers automatically.

    The rate, the schedule and `max_inside` limit how many slots are offered. If all three are
    missing, slots are offered only when an operator calls `admit`.
    """

    rate: Annotated[
        Rate | None,
        Setting(
            "The rate at which slots become available. While nobody is waiting, unused slots "
            "accumulate, up to the number that the rate allows in one minute.",
            label="Rate",
        ),
    ] = None
    schedule: Annotated[
        tuple[Scheduled, ...],
        Setting(
            "The times at which slots become available. Unused slots expire at the next scheduled "
            "time.",
            label="Schedule",
            max_length=MAX_SCHEDULE,
        ),
    ] = ()
    combine: Annotated[
        c.Combine,
        Setting(
            "How to combine the rate and the schedule if both are set. With `least`, the smaller "
            "number of available slots applies. With `sum`, both numbers are added. `max_inside` "
            "limits the result in both cases.",
            label="Rate and schedule",
            choices={
                "least": "The smaller number of slots applies",
                "sum": "The slots of both are added together",
            },
        ),
    ] = "least"
    max_inside: Annotated[
        int | None,
        Setting(
            "How many customers may be inside or have an offer at the same time. A customer is "
            "inside from when they are admitted until their pass ends or they exit.",
            null="no limit",
            label="At most inside",
            ge=1,
            le=MAX_CAPACITY,
        ),
    ] = None
    offer_seconds: Annotated[
        int,
        Setting(
            "How long a customer has to accept an offer, in seconds.",
            label="Offers last",
            ge=MIN_OFFER_SECONDS,
            le=MAX_OFFER_SECONDS,
        ),
    ] = DEFAULT_OFFER_SECONDS
    pass_seconds: Annotated[
        int,
        Setting(
            "How long an admitted customer's pass is valid, in seconds.",
            label="Passes last",
            ge=MIN_PASS_SECONDS,
            le=MAX_PASS_SECONDS,
        ),
    ] = 3600
    no_show: Annotated[
        c.NoShow,
        Setting(
            "What happens to an entry if its customer does not accept an offer in time. With "
            "`to_back`, it moves to the end of the queue. With `leave`, it leaves the waitlist. "
            "With `keep_place`, it keeps its position and gets the next offer. If the customer "
            "never responds, the entry is set aside (parked) after `max_attempts` offers. Until "
            "then, its offers can block a slot for `max_attempts` times `offer_seconds`.",
            label="No-shows",
            choices={
                "to_back": "Go to the end of the queue",
                "keep_place": "Keep their place and get another offer",
                "leave": "Leave the list",
            },
        ),
    ] = "to_back"
    misses: Annotated[
        MissRules | None,
        Setting(
            "How many offers a customer may leave unused, and what happens after that.",
            null="that only `no_show` decides",
            label="Unused offers",
        ),
    ] = None
    decline: Annotated[
        DeclineRules | None,
        Setting(
            "What happens to an entry whose customer declines an offer.",
            null="that it moves to the end of the queue",
            label="Declined offers",
        ),
    ] = None
    until: Annotated[
        UtcText | None,
        Setting(
            "When admissions end. After this time, the waitlist makes no more offers. Open offers "
            "end at this time at the latest. Claims are not affected.",
            null="that there is no end",
            label="Admission ends",
            examples=["2026-12-24T18:00:00Z"],
        ),
    ] = None
    then: Annotated[
        AfterUntil,
        Setting(
            "What happens to customers who are still waiting when admissions end. With `wait`, "
            "they keep waiting. With `leave`, they leave the waitlist, and their history gives "
            "`over` as the reason.",
            label="People still waiting then",
            choices={"wait": "Keep waiting", "leave": "Leave the list, and are told"},
        ),
    ] = "wait"
    acceptance: Annotated[
        c.Acceptance,
        Setting(
            "How customers are admitted. With `enter`, a customer gets an offer and accepts it "
            "with the `enter` operation. With `automatic`, the service admits the customer at "
            "once.",
            label="Acceptance",
            choices={
                "enter": "Get an offer and must enter in time",
                "automatic": "Are admitted at once, without an offer",
            },
        ),
    ] = "enter"
    customer_exit: Annotated[
        CustomerExit,
        Setting(
            "When a customer's place becomes free after the customer calls `exit`. With "
            "`frees_now`, it becomes free at once, although the customer's pass stays valid. With "
            "`frees_at_end`, it becomes free when the pass expires, and the customer cannot sign "
            "up again before then. If an operator calls `exit`, the customer's place always "
            "becomes free at once.",
            label="Customers who exit",
            choices={
                "frees_now": "Free their place at once (you must then refuse their passes)",
                "frees_at_end": "Free their place when their passes end",
            },
        ),
    ] = "frees_now"
    offer_hours: Annotated[
        OfferHours | None,
        Setting(
            "The hours of the day in which the waitlist offers slots automatically. An operator's "
            "`admit` makes offers at any time. Scheduled slots outside these hours are offered "
            "when the hours begin again. If the hours end during an automatic offer that lasts "
            "less than a day, the customer gets the remaining time when the hours begin again.",
            null="that there is no restriction",
            label="Offers between",
        ),
    ] = None
    presence: Annotated[
        Presence | None,
        Setting(
            "Whether to withhold offers from customers who have closed their page.",
            null="that customers get an offer whether they are present or not",
            label="Away after",
        ),
    ] = None

    def in_zone(self, timezone: str) -> Self:
        """Return a copy of the policy that uses this time zone wherever the policy sets no time
        zone.
        """
        hours = self.offer_hours and self.offer_hours.in_zone(timezone)
        schedule = tuple(scheduled.in_zone(timezone) for scheduled in self.schedule)
        return replace(self, offer_hours=hours, schedule=schedule)

    @property
    def until_millis(self) -> int | None:
        """When admissions end, or None if they have no end."""
        return millis_or_none(self.until)

    def problems(self) -> Iterator[tuple[str, str]]:
        if self.misses is not None and self.acceptance == "automatic":
            yield (
                "misses",
                "must be null if acceptance is automatic, because customers are then admitted "
                "without an offer that could end",
            )
