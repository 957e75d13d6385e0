"""A waitlist's admission policy, and the request and response bodies of admissions."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from waitlist_api.http.schemas.attributes import Filter, FilterIndex, Filters, without_filter
from waitlist_api.http.schemas.call import WithCallNumber
from waitlist_api.http.schemas.common import (
    Body,
    Count,
    Model,
    Reason,
    TheCustomerId,
    TheEntryId,
    Time,
    UtcTime,
    documented,
)
from waitlist_api.http.schemas.entries import CustomersEntryAnswer, EntryAnswer, EntryStatus
from waitlist_api.http.schemas.settings import request_body
from waitlist_api.settings.admission import AdmissionPolicy
from waitlist_api.settings.decline import DeclineRules
from waitlist_api.settings.presence import Presence
from waitlist_shared.limits import MAX_ADMIT, MAX_OFFER_SECONDS, MIN_OFFER_SECONDS

DeclineRulesBody: Any = request_body("DeclineRulesBody", DeclineRules)
PresenceBody: Any = request_body("PresenceBody", Presence)
AdmissionBody: Any = request_body("AdmissionBody", AdmissionPolicy)

# The duration of this request's offers.
OwnOfferSeconds = Annotated[
    int | None,
    Field(
        ge=MIN_OFFER_SECONDS,
        le=MAX_OFFER_SECONDS,
        description="How long the offers last, in seconds, up to 14 days. Null means the "
        "`offer_seconds` of the admission policy, or ten minutes if the waitlist has no policy.",
        examples=[172_800],
    ),
]


class AdmitBody(Body):
    count: Annotated[
        int,
        Field(
            ge=0,
            le=MAX_ADMIT,
            description="The number of slots to offer now, regardless of the rate and the "
            "schedule. Fewer slots are offered if too few entries are waiting or `max_inside` is "
            "reached. If `refill` is true, the remaining slots are offered later. To cancel slots "
            "that have not been offered yet, send a `count` of 0.",
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
            description="If true, each slot that a customer does not use is offered to the next "
            "entry, until `count` people have entered. The `quota` field in the waitlist's counts "
            "shows how many more people must enter. `refill` cannot be combined with `filter` or "
            "`filters`."
        ),
    ] = False
    offer_seconds: OwnOfferSeconds = None

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
    offer_seconds: OwnOfferSeconds = None


class WithdrawBody(Body):
    offered_until: Annotated[
        UtcTime | None,
        Field(
            description="The offer's `offered_until`. Send it so that a repeated request cannot "
            "withdraw the customer's next offer. If this field is left out, the request withdraws "
            "the current offer."
        ),
    ] = None
    reason: Reason = ""


class OfferAnswer(EntryAnswer, WithCallNumber):
    """An entry that was given a slot.

    Its status is `offered`, or `admitted` if the policy's `acceptance` is `automatic`.
    """

    customer_id: TheCustomerId | None
    admitted_at: Time | None


class AdmittedByFilter(OfferAnswer):
    """An entry that was given a slot by an `admit` request, and the filter that it matched."""

    filter_index: FilterIndex


class AdmitAnswer(Model):
    entries: Annotated[
        list[AdmittedByFilter],
        documented(maxItems=MAX_ADMIT),
        Field(description="The entries that got a slot, in serving order."),
    ]


class DeclineBody(Body):
    to: Annotated[
        Literal["back", "leave"] | None,
        Field(
            description="`back` moves the entry to the end of the queue. `leave` removes it from "
            "the waitlist. Null means that the `admission.decline` setting decides. By default, "
            "the entry then moves to the end of the queue."
        ),
    ] = None
    offered_until: Annotated[
        UtcTime | None,
        Field(
            description="The offer's `offered_until`. Send it so that a repeated request cannot "
            "decline the customer's next offer. If this field is left out, the request declines "
            "the current offer.",
            examples=["2026-12-01T09:10:00.000Z"],
        ),
    ] = None


class DeclineAnswer(CustomersEntryAnswer):
    declines_left: Annotated[
        Count | None,
        Field(
            description="How many more offers the customer can decline without losing their "
            "position. Null if declining always costs them their position, or if they have left."
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
            description="A JWT signed by this service. docs/app/admission-pass.md describes how "
            "to verify it. Null if the waitlist has no admission policy, if the pass has expired, "
            "or if the customer has exited.",
        ),
    ]


class ExitBody(Body):
    reason: Reason = ""
