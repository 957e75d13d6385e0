"""The admission policy of a waitlist, in the bodies of operators' requests and answers."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from waitlist_api.http.schemas.attributes import Filter, FilterIndex, Filters, without_filter
from waitlist_api.http.schemas.common import (
    Body,
    Model,
    Reason,
    TheCustomerId,
    TheEntryId,
    Time,
    TimeZone,
    UtcTime,
    documented,
)
from waitlist_api.http.schemas.entries import EntryAnswer, EntryStatus
from waitlist_api.settings.admission import (
    Acceptance,
    Combine,
    Counts,
    CustomerExit,
    NoShow,
    Period,
)
from waitlist_api.settings.schedule import check_cron
from waitlist_shared.limits import (
    MAX_ADMIT,
    MAX_CAPACITY,
    MAX_OFFER_SECONDS,
    MAX_PASS_SECONDS,
    MAX_RATE,
    MAX_SCHEDULE,
    MIN_OFFER_SECONDS,
    MIN_PASS_SECONDS,
)


def _cron(text: str) -> str:
    check_cron(text)
    return text


def _moment(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError("is not an ISO 8601 time, such as 2026-12-01T09:00:00Z") from error
    if moment.tzinfo is None:
        raise ValueError("needs Z or an offset from UTC, such as +01:00")
    return text


class RateBody(Body):
    """At most `count` slots in each period, evenly spread."""

    count: Annotated[int, Field(ge=1, le=MAX_RATE)]
    per: Period
    counts: Annotated[
        Counts,
        Field(
            description="`offered`: each offer uses a slot. `entered`: the slot of an offer that "
            "ends unused comes back, as far as one minute's slots collect."
        ),
    ] = "offered"
    from_: Annotated[
        Annotated[str, Field(max_length=40), AfterValidator(_moment)] | None,
        Field(
            alias="from",
            description="The rate gives no slots before this time; null: from its declaration on.",
            examples=["2026-12-01T09:00:00Z"],
        ),
    ] = None


Places = Annotated[int, Field(ge=1, le=MAX_RATE, description="How many slots become due.")]


class ScheduledBody(Body):
    """Slots that become due at each time of a cron expression, or once at a time."""

    cron: Annotated[
        Annotated[str, Field(max_length=100), AfterValidator(_cron)] | None,
        Field(
            default=None,
            description="Five fields: minute, hour, day, month, day of week. Instead of `at`.",
            examples=["0 9 * * *"],
        ),
    ]
    timezone: Annotated[
        TimeZone | None,
        Field(
            default=None,
            description="The IANA time zone of `cron`; UTC if it is left out. A time that daylight "
            "saving skips counts just after the gap; one that comes twice counts once.",
            examples=["Europe/Berlin"],
        ),
    ]
    at: Annotated[
        Annotated[str, Field(max_length=40), AfterValidator(_moment)] | None,
        Field(
            default=None,
            description="One time, with its offset from UTC. Instead of `cron`.",
            examples=["2026-12-01T09:00:00Z"],
        ),
    ]
    count: Places

    @model_validator(mode="after")
    def _check_choice(self) -> "ScheduledBody":
        if (self.cron is None) == (self.at is None):
            raise ValueError("needs either cron or at")
        if self.at is not None and self.timezone is not None:
            raise ValueError("takes timezone only beside cron: at has its own offset")
        return self


TimeOfDay = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


class OfferHoursBody(Body):
    """The time of each day in which the list offers slots by itself."""

    from_: Annotated[TimeOfDay, Field(alias="from", examples=["08:00"])]
    to: Annotated[
        TimeOfDay,
        Field(description="If it is earlier than `from`, of the next day.", examples=["22:00"]),
    ]
    timezone: Annotated[
        TimeZone,
        Field(
            description="The IANA time zone of both. A time that daylight saving skips is just "
            "after the gap; one that comes twice counts once.",
            examples=["Europe/Berlin"],
        ),
    ] = "UTC"

    @model_validator(mode="after")
    def _check_length(self) -> "OfferHoursBody":
        if self.from_ == self.to:
            raise ValueError("from and to must be two times: null offers at any time")
        return self


class AdmissionBody(Body):
    """How a waitlist admits by itself: the fewest slots of rate, schedule and room decide.

    With none of `rate`, `schedule` and `max_inside` only `admit` by an operator offers slots.
    """

    rate: Annotated[
        RateBody | None,
        Field(description="At most one minute's slots collect while no customer waits."),
    ] = None
    schedule: Annotated[
        list[ScheduledBody],
        Field(
            default_factory=list,
            max_length=MAX_SCHEDULE,
            description="Each time counts once. Slots for which no customer waits lapse at the "
            "next time.",
        ),
    ]
    combine: Annotated[
        Combine,
        Field(
            description="What rate and schedule have due together: the `least` of both, or their "
            "`sum`; never more than `max_inside` has room for."
        ),
    ] = "least"
    max_inside: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_CAPACITY,
            description="At most so many customers are inside or have an offer; null: no limit.",
        ),
    ] = None
    offer_seconds: Annotated[
        int,
        Field(
            ge=MIN_OFFER_SECONDS,
            le=MAX_OFFER_SECONDS,
            description="How long an offer lasts.",
        ),
    ] = 600
    pass_seconds: Annotated[
        int,
        Field(
            ge=MIN_PASS_SECONDS,
            le=MAX_PASS_SECONDS,
            description="How long the pass of an admitted customer is valid.",
        ),
    ] = 3600
    no_show: Annotated[
        NoShow,
        Field(
            description="What happens to an entry whose customer does not enter in time: it goes "
            "to the back, keeps its place with one attempt more, or leaves the list. With "
            "`keep_place` the same customer is offered again, and is parked after `max_attempts` "
            "offers: an idle customer takes a slot for `max_attempts` times `offer_seconds`."
        ),
    ] = "to_back"
    acceptance: Annotated[
        Acceptance,
        Field(
            description="`enter`: a customer accepts an offer by `enter`. `automatic`: the service "
            "admits without an offer."
        ),
    ] = "enter"
    customer_exit: Annotated[
        CustomerExit,
        Field(
            description="`frees_now`: a customer's own `exit` frees the room, though the pass "
            "stays valid by its signature until it ends. `frees_at_end`: the room is free when the "
            "pass ends, and the customer can sign up again from then on. An operator's `exit` "
            "frees it at once in both."
        ),
    ] = "frees_now"
    offer_hours: Annotated[
        OfferHoursBody | None,
        Field(
            description="Outside these hours nobody is offered a slot, or admitted, by rate, "
            "schedule, room or quota; slots collect as before a time of the schedule. An offer "
            "that is open when the hours end has the rest of its time in the next ones. An "
            "operator's `admit` offers at any time. null: at any time."
        ),
    ] = None

    @property
    def policy(self) -> dict[str, Any]:
        """The fields as the policy has them."""
        fields = self.model_dump(by_alias=True)
        fields["schedule"] = [
            {name: value for name, value in one.items() if value is not None}
            for one in fields["schedule"]
        ]
        return fields


class AdmitBody(Body):
    count: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_ADMIT,
            description="How many slots to offer now, whatever rate and schedule say. There are "
            "fewer if fewer wait, or if `max_inside` leaves less room; the rest is kept only with "
            "`refill`. 0 ends what is left of the quota.",
        ),
    ]
    filter: Annotated[
        Filter | None,
        Field(
            description="Offer slots only to entries that have all these values: one value for "
            "each attribute of a declared segment.",
            examples=[{"language": "Spanish"}],
        ),
    ] = None
    filters: Annotated[Filters | None, AfterValidator(without_filter)] = None
    refill: Annotated[
        bool,
        Field(
            description="Until so many people have entered, slots that are not used go to the next "
            "entries; `quota` of the statistics has the rest. Not with `filter` or `filters`."
        ),
    ] = False

    @field_validator("refill")
    @classmethod
    def _check_refill(cls, refill: bool, info: ValidationInfo) -> bool:
        if refill and (info.data.get("filter") or info.data.get("filters")):
            raise ValueError("goes without filter and filters: a quota is of the whole list")
        return refill


class AdmitOneBody(Body):
    reason: Reason = ""


class WithdrawBody(Body):
    offered_until: Annotated[
        UtcTime | None,
        Field(
            description="Take back only the offer that ends then, so that a late repeat does not "
            "take back the next one; null: the offer that is open now."
        ),
    ] = None
    reason: Reason = ""


class OfferAnswer(EntryAnswer):
    """An entry that got a slot: `offered`, or `admitted` where the policy asks no acceptance."""

    customer_id: TheCustomerId | None
    admitted_at: Time | None


class AdmittedByFilter(OfferAnswer):
    """An entry that got a slot from an operator's `admit`."""

    filter_index: FilterIndex


class AdmitAnswer(Model):
    entries: Annotated[
        list[AdmittedByFilter],
        documented(maxItems=MAX_ADMIT),
        Field(description="The entries that got a slot, in serving order."),
    ]


class DeclineBody(Body):
    to: Annotated[
        Literal["back", "leave"],
        Field(description="`back`: to the end of the queue. `leave`: off the list."),
    ] = "back"
    offered_until: Annotated[
        UtcTime | None,
        Field(
            description="`offered_until` of the offer that is declined: send it, so that a request "
            "that arrives late or twice does not decline the next offer. Default: the offer that "
            "is open.",
            examples=["2026-12-01T09:10:00.000Z"],
        ),
    ] = None


class AdmittedAnswer(Model):
    """A customer's admission."""

    entry_id: TheEntryId
    status: EntryStatus
    admitted_at: Time
    exited_at: Annotated[Time | None, Field(description="When the customer went out.")]
    inside_until: Annotated[
        Time | None,
        Field(description="When the pass ends; null if the waitlist has no admission policy."),
    ]


class PassAnswer(AdmittedAnswer):
    """A customer's admission with the pass that proves it to other services."""

    pass_: Annotated[
        str | None,
        Field(
            alias="pass",
            description="A JWT, signed by this service; docs/app/admission-pass.md says how to "
            "check it. Null without an admission policy, after the pass' end and after an exit.",
        ),
    ]


class ExitBody(Body):
    reason: Reason = ""
