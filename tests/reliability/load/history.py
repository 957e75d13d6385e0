"""Stores all clients' requests and responses. The clients measure all times."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["done", "refused", "unknown"]
# Operations that end a customer's wait. A customer who declines an offer leaves, and a customer who
# enters is admitted.
ENDS: Mapping[str, Literal["leave", "complete"]] = {
    "leave": "leave",
    "decline": "leave",
    "complete": "complete",
    "enter": "complete",
}
TAKES = ("claim", "admit")


# The value of `Attempt.code` for a request that failed without an error code.
NO_CODE = "no problem+json"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A single HTTP request.

    `status` is 0 if there was no response. `code` is the error code in the response.
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
        """API Gateway cannot send a `Retry-After` header when its rate limit refuses a request."""
        return self.status == 429 and self.code == NO_CODE


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that a client wants to do, such as sign up.

    It may take several attempts. `person` is the customer's id, or empty if the operation names no
    customer.
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
        """Return the ids and tokens of the customers whom the operation took from the queue.

        Offers have no token, so their time is used instead.
        """
        if not self.is_done:
            return []
        if self.kind == "claim":
            return [(one["customer_id"], one["claim_token"]) for one in self.answer["claims"]]
        names = [one["customer_id"] for one in self.answer["entries"]]
        return [(name, f"{name} offered at {self.began}") for name in names]


@dataclass(frozen=True)
class Loss:
    began: float
    ended: float

    def is_during(self, operation: Operation) -> bool:
        return operation.began < self.ended and operation.ended > self.began


class History:
    """All clients' requests. There is no lock, because only one thread adds requests."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.operations: list[Operation] = []

    def of(self, *kinds: str) -> Iterator[Operation]:
        return (operation for operation in self.operations if operation.kind in kinds)

    def has_unknown(self) -> bool:
        return any(operation.outcome == "unknown" for operation in self.operations)
