"""The admission policy of a list, as an operator sets it and the record stores it."""

from typing import Any, Literal, Self

import msgspec

from waitlist_shared.decoding import prepare

Period = Literal["second", "minute", "hour", "day"]
NoShow = Literal["keep_place", "to_back", "leave"]
Acceptance = Literal["enter", "automatic"]

PERIOD_MILLIS: dict[Period, int] = {
    "second": 1000,
    "minute": 60_000,
    "hour": 3_600_000,
    "day": 86_400_000,
}


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """At most `count` admissions in each period, evenly spread."""

    count: int
    per: Period


class Scheduled(msgspec.Struct, frozen=True, kw_only=True):
    """`count` places that become due at each time of a cron expression, or once `at` a time."""

    count: int
    cron: str | None = None
    timezone: str = "UTC"
    at: str | None = None


class AdmissionPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """How a list admits by itself; the fewest places of `rate`, `schedule` and room decide.

    Room is what `max_inside` leaves beside the customers inside and those with an offer. A policy
    with none of the three admits by hand only. `offer_seconds` is how long an offer lasts,
    `pass_seconds` how long a customer is inside after an admission, `no_show` what happens to an
    entry whose offer ends unused.
    """

    rate: Rate | None = None
    schedule: tuple[Scheduled, ...] = ()
    max_inside: int | None = None
    offer_seconds: int = 600
    pass_seconds: int = 3600
    no_show: NoShow = "keep_place"
    acceptance: Acceptance = "enter"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read what `text` returned."""
        return msgspec.json.decode(text, type=cls)

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> Self:
        """Return the policy of validated fields of a request body."""
        return msgspec.convert(fields, cls)

    @property
    def text(self) -> str:
        """JSON for the record; equal policies have equal texts."""
        return msgspec.json.encode(self).decode()

    @property
    def fields(self) -> dict[str, Any]:
        """The fields as callers see them; a time of the schedule has only its own fields."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        fields["schedule"] = [_shown(one) for one in self.schedule]
        return fields


prepare(AdmissionPolicy)


def _shown(scheduled: Scheduled) -> dict[str, Any]:
    if scheduled.at is not None:
        return {"at": scheduled.at, "count": scheduled.count}
    return {"cron": scheduled.cron, "timezone": scheduled.timezone, "count": scheduled.count}
