"""The admission policy of a waitlist, and the requests and responses of admissions."""

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
        raise ValueError("must be an ISO 8601 time, such as 2026-12-01T09:00:00Z") from error
    if moment.tzinfo is None:
        raise ValueError("needs Z or an offset from UTC, such as +01:00")
    return text


class RateBody(Body):
    """A rate of at most `count` slots in each period, evenly spread."""

    count: Annotated[int, Field(ge=1, le=MAX_RATE)]
    per: Period
    counts: Annotated[
        Counts,
        Field(
            description="With `offered`, each offer uses a slot. With `entered`, the slot of an "
            "unused offer returns to the rate, which holds at most one minute's slots."
        ),
    ] = "offered"
    from_: Annotated[
        Annotated[str, Field(max_length=40), AfterValidator(_moment)] | None,
        Field(
            alias="from",
            description="The time before which the rate gives no slots. Null means the time at "
            "which the rate was set.",
            examples=["2026-12-01T09:00:00Z"],
        ),
    ] = None


Places = Annotated[int, Field(ge=1, le=MAX_RATE, description="How many slots become due.")]


class ScheduledBody(Body):
    """Slots that become due at each time of a cron expression, or once at a given time."""

    cron: Annotated[
        Annotated[str, Field(max_length=100), AfterValidator(_cron)] | None,
        Field(
            default=None,
            description="A cron expression with five fields, which are minute, hour, day, month "
            "and day of week. Send either `cron` or `at`.",
            examples=["0 9 * * *"],
        ),
    ]
    timezone: Annotated[
        TimeZone | None,
        Field(
            default=None,
            description="The IANA time zone of `cron`. The default is UTC. If daylight saving "
            "time skips a time, the time just after the gap is used. If a time occurs twice, it "
            "is used once.",
            examples=["Europe/Berlin"],
        ),
    ]
    at: Annotated[
        Annotated[str, Field(max_length=40), AfterValidator(_moment)] | None,
        Field(
            default=None,
            description="A single time, with its offset from UTC. Send either `cron` or `at`.",
            examples=["2026-12-01T09:00:00Z"],
        ),
    ]
    count: Places

    @model_validator(mode="after")
    def _check_choice(self) -> "ScheduledBody":
        if (self.cron is None) == (self.at is None):
            raise ValueError("must have either cron or at")
        if self.at is not None and self.timezone is not None:
            raise ValueError("must not have a timezone with at, because at has its own offset")
        return self


TimeOfDay = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


class OfferHoursBody(Body):
    """The hours of each day in which the waitlist offers slots by itself."""

    from_: Annotated[TimeOfDay, Field(alias="from", examples=["08:00"])]
    to: Annotated[
        TimeOfDay,
        Field(
            description="The end of the hours. If it is earlier than `from`, it is on the next "
            "day.",
            examples=["22:00"],
        ),
    ]
    timezone: Annotated[
        TimeZone,
        Field(
            description="The IANA time zone of both times. If daylight saving time skips a time, "
            "the time just after the gap is used. If a time occurs twice, it is used once.",
            examples=["Europe/Berlin"],
        ),
    ] = "UTC"

    @model_validator(mode="after")
    def _check_length(self) -> "OfferHoursBody":
        if self.from_ == self.to:
            raise ValueError(
                "must have different times in from and to. To offer at any time, set "
                "offer_hours to null."
            )
        return self


class AdmissionBody(Body):
    """The policy by which a waitlist admits customers by itself.

    It offers as many slots as the rate, the schedule and the room inside allow. If `rate`,
    `schedule` and `max_inside` are all missing, only an operator's `admit` offers slots.
    """

    rate: Annotated[
        RateBody | None,
        Field(
            description="The rate of slots. While no customer waits, at most one minute's slots "
            "collect."
        ),
    ] = None
    schedule: Annotated[
        list[ScheduledBody],
        Field(
            default_factory=list,
            max_length=MAX_SCHEDULE,
            description="The times at which slots become due. Each time counts once. If no "
            "customer waits for a slot, the slot lapses at the next time.",
        ),
    ]
    combine: Annotated[
        Combine,
        Field(
            description="How the rate and the schedule combine. `least` uses the smaller number "
            "of due slots, and `sum` adds both numbers. The result never exceeds the room that "
            "`max_inside` leaves."
        ),
    ] = "least"
    max_inside: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_CAPACITY,
            description="How many customers may be inside or have an offer at the same time. Null "
            "means no limit.",
        ),
    ] = None
    offer_seconds: Annotated[
        int,
        Field(
            ge=MIN_OFFER_SECONDS,
            le=MAX_OFFER_SECONDS,
            description="How many seconds an offer lasts.",
        ),
    ] = 600
    pass_seconds: Annotated[
        int,
        Field(
            ge=MIN_PASS_SECONDS,
            le=MAX_PASS_SECONDS,
            description="How many seconds the pass of an admitted customer is valid.",
        ),
    ] = 3600
    no_show: Annotated[
        NoShow,
        Field(
            description="What happens to the entry of a customer who does not enter in time. With "
            "`to_back`, it moves to the end of the queue. With `keep_place`, it keeps its place, "
            "and its `attempts` grow by 1. With `leave`, it leaves the waitlist. With "
            "`keep_place`, the same customer gets the next offer and is parked after "
            "`max_attempts` offers, so an idle customer can occupy a slot for `max_attempts` "
            "times `offer_seconds`."
        ),
    ] = "to_back"
    acceptance: Annotated[
        Acceptance,
        Field(
            description="With `enter`, a customer accepts an offer by the operation `enter`. With "
            "`automatic`, the service admits customers without an offer."
        ),
    ] = "enter"
    customer_exit: Annotated[
        CustomerExit,
        Field(
            description="When a customer's own `exit` frees their room inside. With `frees_now`, "
            "it does so at once, although the signature of the pass stays valid until the pass "
            "ends. With `frees_at_end`, the room is free when the pass ends, and the customer can "
            "sign up again after that. An operator's `exit` always frees the room at once."
        ),
    ] = "frees_now"
    offer_hours: Annotated[
        OfferHoursBody | None,
        Field(
            description="The hours of the day in which the policy admits. Outside these hours, no "
            "customer is offered a slot or admitted by rate, schedule, room or quota, and slots "
            "collect as they do before a time of the schedule. If an offer is open when the hours "
            "end, its remaining time continues in the next hours. An operator's `admit` offers "
            "slots at any time. Null means at any time."
        ),
    ] = None

    @property
    def policy(self) -> dict[str, Any]:
        """The fields of the policy, in the form in which the settings store them."""
        fields = self.model_dump(by_alias=True)
        fields["schedule"] = [
            {name: value for name, value in slots.items() if value is not None}
            for slots in fields["schedule"]
        ]
        return fields


class AdmitBody(Body):
    count: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_ADMIT,
            description="How many slots to offer now, regardless of the rate and the schedule. "
            "Fewer slots are offered if fewer entries wait, or if `max_inside` leaves less room. "
            "The remaining slots are kept only if `refill` is true. A `count` of 0 ends the "
            "remaining quota.",
        ),
    ]
    filter: Annotated[
        Filter | None,
        Field(
            description="Offer slots only to entries that have all these values. The filter needs "
            "one value for each attribute of a declared segment.",
            examples=[{"language": "Spanish"}],
        ),
    ] = None
    filters: Annotated[Filters | None, AfterValidator(without_filter)] = None
    refill: Annotated[
        bool,
        Field(
            description="Whether unused slots go to the next entries until `count` people have "
            "entered. The field `quota` of the counts has the number of people who are still to "
            "enter. Not allowed together with `filter` or `filters`."
        ),
    ] = False

    @field_validator("refill")
    @classmethod
    def _check_refill(cls, refill: bool, info: ValidationInfo) -> bool:
        if refill and (info.data.get("filter") or info.data.get("filters")):
            raise ValueError(
                "must not be sent together with filter or filters, because a quota "
                "covers the whole waitlist"
            )
        return refill


class AdmitOneBody(Body):
    reason: Reason = ""


class WithdrawBody(Body):
    offered_until: Annotated[
        UtcTime | None,
        Field(
            description="The `offered_until` of the offer to take back. Send it so that a late "
            "repeat does not take back the next offer. By default the open offer is taken back."
        ),
    ] = None
    reason: Reason = ""


class OfferAnswer(EntryAnswer):
    """An entry that got a slot.

    Its status is `offered`, or `admitted` if the policy needs no acceptance.
    """

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
        Field(
            description="`back` moves the entry to the end of the queue. `leave` removes it "
            "from the waitlist."
        ),
    ] = "back"
    offered_until: Annotated[
        UtcTime | None,
        Field(
            description="The `offered_until` of the offer to decline. Send it so that a request "
            "that arrives late or twice does not decline the next offer. By default the open "
            "offer is declined.",
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
        Field(description="When the pass ends. Null if the waitlist has no admission policy."),
    ]


class PassAnswer(AdmittedAnswer):
    """A customer's admission, with the pass that proves it to other services."""

    pass_: Annotated[
        str | None,
        Field(
            alias="pass",
            description="A JWT that this service signed. docs/app/admission-pass.md describes how "
            "to verify it. Null if the waitlist has no admission policy, after the pass has "
            "ended, and after an exit.",
        ),
    ]


class ExitBody(Body):
    reason: Reason = ""
