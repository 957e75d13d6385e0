"""Stores the requests of all clients and the responses to them.

The times come from the clock of the clients.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["done", "refused", "unknown"]
# The operations with which a customer leaves the queue, and the kind of this end. A customer who
# has an offer may leave by declining it, or be admitted by entering.
ENDS: Mapping[str, Literal["leave", "complete"]] = {
    "leave": "leave",
    "decline": "leave",
    "complete": "complete",
    "enter": "complete",
}
TAKES = ("claim", "admit")


# The value of `Attempt.code` if the request failed and the response had no error code.
NO_CODE = "no problem+json"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A single HTTP request.

    If there was no response, `status` is 0. `code` is the error code in the response.
    """

    kind: str
    began: float
    ended: float
    status: int
    code: str = ""
    retry_after: str = ""

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    @property
    def is_rate_limited(self) -> bool:
        """Return whether API Gateway itself refused the request.

        An HTTP API of API Gateway cannot add the header Retry-After.
        """
        return self.status == 429 and self.code == NO_CODE


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of a client, from the first request to the final answer.

    `person` is the id of the customer. `person` is empty if the operation names no customer.
    """

    kind: str
    person: str
    outcome: Outcome
    began: float
    ended: float
    attempts: int = 1
    asked: Mapping[str, Any] = field(default_factory=dict)
    answer: Any = None

    @property
    def is_done(self) -> bool:
        return self.outcome == "done"

    @property
    def taken(self) -> list[tuple[str, str]]:
        """Return the customers whom a claim or an admission by an operator took from the queue,
        each with a token. Callers do not see the token of an offer, so a text that identifies the
        operation replaces it.
        """
        if not self.is_done:
            return []
        if self.kind == "claim":
            return [(one["customer_id"], one["claim_token"]) for one in self.answer["claims"]]
        names = [one["customer_id"] for one in self.answer["entries"]]
        return [(name, f"{name} offered at {self.began}") for name in names]


@dataclass(frozen=True)
class Loss:
    """A loss of the data in Redis, at some moment between `began` and `ended`."""

    began: float
    ended: float

    def is_during(self, operation: Operation) -> bool:
        """Return whether the operation may have been running when Redis lost its data."""
        return operation.began < self.ended and operation.ended > self.began


class History:
    """All requests and operations of the clients.

    The history grows while the load runs, and a single thread writes it.
    """

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.operations: list[Operation] = []

    def of(self, *kinds: str) -> Iterator[Operation]:
        return (operation for operation in self.operations if operation.kind in kinds)

    def has_unknown(self) -> bool:
        return any(operation.outcome == "unknown" for operation in self.operations)
