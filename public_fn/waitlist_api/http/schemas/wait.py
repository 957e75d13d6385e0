"""Estimated waits for customers and operators."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypeAliasType

from waitlist_api.estimates.pace import Unavailable, Wait
from waitlist_api.http.schemas.common import Count, Model, extensible

UNAVAILABLE_MEANINGS: dict[Unavailable, str] = {
    "paused": "the waitlist is paused and admits no one until an operator resumes it",
    "unknown": "too few people were admitted lately to make an estimate",
    "closed": "the waitlist accepts no signups",
}


class EstimateAnswer(Model):
    """The estimated seconds until the customer's turn, which is an offer, a claim or an admission.

    The real wait lies between `low` and `high` in at least four of five cases.
    """

    seconds: Annotated[Count, Field(description="The most likely wait.")]
    low: Count
    high: Count


# The type has a name so that the OpenAPI document has a component for it.
EstimateUnavailable = TypeAliasType(
    "EstimateUnavailable",
    Annotated[
        str,
        Field(json_schema_extra=extensible("Why there is no estimate.", UNAVAILABLE_MEANINGS)),
    ],
)


class WithEstimate(Model):
    estimated_wait: EstimateAnswer | None
    estimate_unavailable: EstimateUnavailable | None


def estimate_fields(wait: Wait | None) -> dict[str, Any]:
    """Return the fields of `WithEstimate`. Both are null for an entry that is not waiting."""
    estimate = wait.estimate if wait else None
    shown = None
    if estimate is not None:
        shown = EstimateAnswer(seconds=estimate.seconds, low=estimate.low, high=estimate.high)
    return {
        "estimated_wait": shown,
        "estimate_unavailable": wait.unavailable if wait else None,
    }
