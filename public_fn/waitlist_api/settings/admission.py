"""The admission policy of a list, as an operator sets it and the record stores it."""

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
    """At most `count` slots in each period, evenly spread, `from_` a time on.

    With `counts` "entered" the slot of an offer that ends unused comes back.
    """

    count: int
    per: Period
    counts: Counts = "offered"
    from_: str | None = msgspec.field(default=None, name="from")

    @property
    def from_millis(self) -> int | None:
        """When the rate begins; None if it has no beginning of its own."""
        return None if self.from_ is None else millis_of(datetime.fromisoformat(self.from_))


class Scheduled(msgspec.Struct, frozen=True, kw_only=True):
    """`count` slots that become due at each time of a cron expression, or once `at` a time."""

    count: int
    cron: str | None = None
    timezone: str = "UTC"
    at: str | None = None


class OfferHours(msgspec.Struct, frozen=True, kw_only=True):
    """The time of each day in which a list offers, as `HH:MM`; past midnight if `to` is earlier."""

    from_: str = msgspec.field(name="from")
    to: str
    timezone: str = "UTC"


class AdmissionPolicy(StoredSettings, frozen=True, kw_only=True):
    """How a list admits by itself; the fewest slots of `rate`, `schedule` and room decide.

    With `combine` "sum" it is the slots of rate and schedule together, as far as there is room.
    Room is what `max_inside` leaves beside the customers inside and those with an offer. A policy
    with none of the three admits by hand only. `offer_seconds` is how long an offer lasts,
    `pass_seconds` how long a customer is inside after an admission, `no_show` what happens to an
    entry whose offer ends unused, `customer_exit` whether a customer who goes out frees the room,
    or the end of the pass does. Outside `offer_hours` the policy offers nothing. The record stores
    every field, so a new default changes no stored policy.
    """

    rate: Rate | None = None
    schedule: tuple[Scheduled, ...] = ()
    combine: Combine = "least"
    max_inside: int | None = None
    offer_seconds: int = 600
    pass_seconds: int = 3600
    no_show: NoShow = "to_back"
    acceptance: Acceptance = "enter"
    customer_exit: CustomerExit = "frees_now"
    offer_hours: OfferHours | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as callers see them; a time of the schedule has only its own fields."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        fields["schedule"] = [_shown(one) for one in self.schedule]
        return fields


warm_decoders(AdmissionPolicy)


def _shown(scheduled: Scheduled) -> dict[str, Any]:
    if scheduled.at is not None:
        return {"at": scheduled.at, "count": scheduled.count}
    return {"cron": scheduled.cron, "timezone": scheduled.timezone, "count": scheduled.count}
