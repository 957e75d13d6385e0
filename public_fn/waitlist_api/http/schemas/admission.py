"""The admission policy of a waitlist, and the request and response bodies of admissions."""

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
    """A rate of at most `count` slots per period, evenly spread over the period."""

    count: Annotated[int, Field(ge=1, le=MAX_RATE)]
    per: Period
    counts: Annotated[
        Counts,
        Field(
            description="Which events use up a slot of the rate. With `offered`, every offer uses "
            "a slot. With `entered`, the slot returns to the rate if the offer is not accepted. "
            "The rate holds at most the slots of one minute."
        ),
    ] = "offered"
    from_: Annotated[
        Annotated[str, Field(max_length=40), AfterValidator(_moment)] | None,
        Field(
            alias="from",
            description="When the rate starts to produce slots. Null means the time at which the "
            "rate was saved.",
            examples=["2026-12-01T09:00:00Z"],
        ),
    ] = None


Places = Annotated[
    int,
    Field(ge=1, le=MAX_RATE, description="The number of slots that become available at each time."),
]


class ScheduledBody(Body):
    """Slots that become available at each time of a cron expression, or once at a given time."""

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
            description="The IANA time zone of `cron`. The default is UTC. If a local time is "
            "skipped because of daylight saving time, the first time after the gap is used. If a "
            "local time occurs twice, it is used once.",
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
    """The hours of the day in which the waitlist offers slots automatically."""

    from_: Annotated[TimeOfDay, Field(alias="from", examples=["08:00"])]
    to: Annotated[
        TimeOfDay,
        Field(
            description="The end of the hours. If `to` is earlier than `from`, the hours end on "
            "the next day.",
            examples=["22:00"],
        ),
    ]
    timezone: Annotated[
        TimeZone,
        Field(
            description="The IANA time zone of `from` and `to`. If a local time is skipped "
            "because of daylight saving time, the first time after the gap is used. If a local "
            "time occurs twice, it is used once.",
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
    """The policy by which a waitlist offers slots to customers automatically.

    The rate, the schedule and `max_inside` limit how many slots are offered. If all three are
    missing, slots are offered only when an operator calls `admit`.
    """

    rate: Annotated[
        RateBody | None,
        Field(
            description="The rate at which slots become available. While nobody is waiting, unused "
            "slots accumulate, but never more than the slots of one minute."
        ),
    ] = None
    schedule: Annotated[
        list[ScheduledBody],
        Field(
            default_factory=list,
            max_length=MAX_SCHEDULE,
            description="The times at which slots become available, each once. Slots that nobody "
            "has used expire at the next time of the schedule.",
        ),
    ]
    combine: Annotated[
        Combine,
        Field(
            description="How to combine the rate and the schedule if both are set. `least` uses "
            "the smaller number of available slots, and `sum` adds both numbers. `max_inside` "
            "limits the result in both cases."
        ),
    ] = "least"
    max_inside: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_CAPACITY,
            description="How many customers may be inside or have an offer at the same time. "
            "Admitted customers are inside until they exit or their pass ends. Null means no "
            "limit.",
        ),
    ] = None
    offer_seconds: Annotated[
        int,
        Field(
            ge=MIN_OFFER_SECONDS,
            le=MAX_OFFER_SECONDS,
            description="The number of seconds that a customer has to accept an offer.",
        ),
    ] = 600
    pass_seconds: Annotated[
        int,
        Field(
            ge=MIN_PASS_SECONDS,
            le=MAX_PASS_SECONDS,
            description="The number of seconds that the pass of an admitted customer is valid.",
        ),
    ] = 3600
    no_show: Annotated[
        NoShow,
        Field(
            description="What happens to an entry if its customer does not accept an offer in "
            "time. With `to_back`, the entry moves to the end of the queue. With `leave`, it "
            "leaves the waitlist. With `keep_place`, it keeps its position and gets the next "
            "offer. After `max_attempts` offers, the entry is set aside (parked). An inactive "
            "customer can therefore block a slot for `max_attempts` times `offer_seconds`."
        ),
    ] = "to_back"
    acceptance: Annotated[
        Acceptance,
        Field(
            description="How customers are admitted. With `enter`, a customer gets an offer and "
            "accepts it with the operation `enter`. With `automatic`, the service admits the "
            "customer at once."
        ),
    ] = "enter"
    customer_exit: Annotated[
        CustomerExit,
        Field(
            description="When a customer's own `exit` makes room for another customer. With "
            "`frees_now`, there is room at once, although the pass can be used until it expires. "
            "With `frees_at_end`, there is room when the pass expires, and only then can the "
            "customer sign up again. An operator's `exit` always makes room at once."
        ),
    ] = "frees_now"
    offer_hours: Annotated[
        OfferHoursBody | None,
        Field(
            description="The hours of the day in which the waitlist offers slots automatically. "
            "Outside these hours, slots accumulate, and the deadlines of open offers are "
            "suspended. An operator's `admit` offers slots at any time. Null means that there is "
            "no restriction."
        ),
    ] = None

    @property
    def policy(self) -> dict[str, Any]:
        """The policy in the format in which the waitlist's settings are stored."""
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
            description="The number of slots to offer now, regardless of the rate and the "
            "schedule. Fewer slots are offered if fewer entries are waiting or if `max_inside` is "
            "reached. With `refill`, the remaining slots are offered later. A `count` of 0 "
            "cancels the slots that remain from earlier calls with `refill`.",
        ),
    ]
    filter: Annotated[
        Filter | None,
        Field(
            description="Offer slots only to entries with all these attribute values. The filter "
            "must contain one value for each attribute of a declared segment.",
            examples=[{"language": "Spanish"}],
        ),
    ] = None
    filters: Annotated[Filters | None, AfterValidator(without_filter)] = None
    refill: Annotated[
        bool,
        Field(
            description="Whether to offer unused slots to further entries until `count` people "
            "have entered. The field `quota` in the waitlist's counts shows how many people still "
            "have to enter. `refill` cannot be combined with `filter` or `filters`."
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
            description="The `offered_until` of the offer to withdraw. Send it, so that a "
            "repeated request cannot withdraw the customer's next offer. If it is left out, the "
            "current offer is withdrawn."
        ),
    ] = None
    reason: Reason = ""


class OfferAnswer(EntryAnswer):
    """An entry that got a slot.

    The status is `offered`, or `admitted` if the policy's `acceptance` is `automatic`.
    """

    customer_id: TheCustomerId | None
    admitted_at: Time | None


class AdmittedByFilter(OfferAnswer):
    """An entry that got a slot when an operator called `admit`."""

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
            description="The `offered_until` of the offer to decline. Send it, so that a repeated "
            "request cannot decline the customer's next offer. If it is left out, the current "
            "offer is declined.",
            examples=["2026-12-01T09:10:00.000Z"],
        ),
    ] = None


class AdmittedAnswer(Model):
    """A customer's admission."""

    entry_id: TheEntryId
    status: EntryStatus
    admitted_at: Time
    exited_at: Annotated[
        Time | None,
        Field(description="When the customer exited. Null if the customer has not exited."),
    ]
    inside_until: Annotated[
        Time | None,
        Field(description="When the pass expires. Null if the waitlist has no admission policy."),
    ]


class PassAnswer(AdmittedAnswer):
    """A customer's admission, and the pass that proves the admission to other services."""

    pass_: Annotated[
        str | None,
        Field(
            alias="pass",
            description="A JWT that is signed by this service. docs/app/admission-pass.md "
            "describes how to verify the JWT. Null if the waitlist has no admission policy, if "
            "the pass has expired, or if the customer has exited.",
        ),
    ]


class ExitBody(Body):
    reason: Reason = ""
