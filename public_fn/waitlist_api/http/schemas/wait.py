"""Estimated waits, as customers and operators read them."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypeAliasType

from waitlist_api.estimates.pace import Unavailable, Wait
from waitlist_api.http.schemas.common import Count, Model, extensible

UNAVAILABLE_MEANINGS: dict[Unavailable, str] = {
    "paused": "the list is paused; no one is admitted until an operator resumes it",
    "unknown": "too few people were admitted lately to tell",
    "closed": "the list takes no signups",
}


class EstimateAnswer(Model):
    """Seconds until the customer's turn: an offer, a claim or an admission.

    In four of five cases at least the real wait lies between `low` and `high`.
    """

    seconds: Annotated[Count, Field(description="The most likely wait.")]
    low: Count
    high: Count


# A named type, so that the OpenAPI document has a component for it.
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
    """Return the fields of `WithEstimate`; both are null of an entry that does not wait."""
    estimate = wait.estimate if wait else None
    shown = None
    if estimate is not None:
        shown = EstimateAnswer(seconds=estimate.seconds, low=estimate.low, high=estimate.high)
    return {
        "estimated_wait": shown,
        "estimate_unavailable": wait.unavailable if wait else None,
    }
