"""Estimated waits, as shown to customers and operators."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypeAliasType

from waitlist_api.estimates.pace import Unavailable, Wait
from waitlist_api.http.schemas.common import Count, Model, extensible

UNAVAILABLE_MEANINGS: dict[Unavailable, str] = {
    "paused": "the waitlist is paused and admits no one until an operator resumes it",
    "unknown": "too few people have been admitted recently to make an estimate",
    "over": "admissions have ended, or will end before the customer's turn comes",
    "closed": "the waitlist accepts no signups",
}


class EstimateAnswer(Model):
    """An estimated wait, in seconds.

    In at least four out of five cases, the actual wait is between `low` and `high`.
    """

    seconds: Annotated[Count, Field(description="The most likely wait.")]
    low: Count
    high: Count


# The type has a name so that it becomes a component of the OpenAPI document.
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
    """Return the `estimated_wait` and `estimate_unavailable` fields of a response.

    If the entry is not waiting, both fields are null.
    """
    estimate = wait.estimate if wait else None
    shown = None
    if estimate is not None:
        shown = EstimateAnswer(seconds=estimate.seconds, low=estimate.low, high=estimate.high)
    return {
        "estimated_wait": shown,
        "estimate_unavailable": wait.unavailable if wait else None,
    }
