"""Define the `admission` setting, which makes a waitlist admit customers automatically."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from waitlist_api.clock import millis_of
from waitlist_api.settings.stored import StoredSettings
from waitlist_shared.decoding import warm_decoders

Period = Literal["second", "minute", "hour", "day"]
NoShow = Literal["keep_place", "to_back", "leave"]
Acceptance = Literal["enter", "automatic"]
CustomerExit = Literal["frees_now", "frees_at_end"]
Counts = Literal["offered", "entered"]
Combine = Literal["least", "sum"]

PERIOD_MILLIS: dict[Period, int] = {
    "second": 1000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
}


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """A rate that allows at most `count` offers in each period, evenly spread over the period."""

    count: int
    per: Period
    counts: Counts = "offered"
    from_: str | None = msgspec.field(default=None, name="from")

    @property
    def from_millis(self) -> int | None:
        """The time at which the rate begins to apply, or None if it always applies."""
        return None if self.from_ is None else millis_of(datetime.fromisoformat(self.from_))


class Scheduled(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the schedule.

    It allows `count` offers at each time of the `cron` expression, or once at the time `at`.
    """

    count: int
    cron: str | None = None
    timezone: str = "UTC"
    at: str | None = None


class OfferHours(msgspec.Struct, frozen=True, kw_only=True):
    """The daily hours in which the policy makes offers, as `HH:MM`.

    If `to` is earlier than `from_`, the hours end on the next day.
    """

    from_: str = msgspec.field(name="from")
    to: str
    timezone: str = "UTC"


class AdmissionPolicy(StoredSettings, frozen=True, kw_only=True):
    """The policy for admitting customers automatically.

    The policy makes as many offers as the strictest of three limits allows: the `rate`, the
    `schedule` and the room inside.
    """

    rate: Rate | None = None
    schedule: tuple[Scheduled, ...] = ()
    combine: Combine = "least"
    max_inside: int | None = None
    # How long a customer can accept an offer.
    offer_seconds: int = 600
    # How long a customer is inside after an admission.
    pass_seconds: int = 3600
    # What happens to the entry if the customer does not accept the offer in time.
    no_show: NoShow = "to_back"
    acceptance: Acceptance = "enter"
    # Whether another customer can be admitted as soon as a customer exits, or only when the pass
    # ends.
    customer_exit: CustomerExit = "frees_now"
    # The policy makes no offers outside these hours. None means that it can always make offers.
    offer_hours: OfferHours | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as the API returns them."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        fields["schedule"] = [_shown(scheduled) for scheduled in self.schedule]
        return fields


warm_decoders(AdmissionPolicy)


def _shown(scheduled: Scheduled) -> dict[str, Any]:
    if scheduled.at is not None:
        return {"at": scheduled.at, "count": scheduled.count}
    return {"cron": scheduled.cron, "timezone": scheduled.timezone, "count": scheduled.count}
