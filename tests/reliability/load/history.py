"""The requests of clients and the answers to them, by the clients' clock."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["done", "refused", "unknown"]
# Operations that end a stay, and how: a customer declines an offer by leaving, or enters.
ENDS: Mapping[str, Literal["leave", "complete"]] = {
    "leave": "leave",
    "decline": "leave",
    "complete": "complete",
    "enter": "complete",
}
TAKES = ("claim", "admit")


# What an `Attempt` has as its code where the answer was a failure without one.
NO_CODE = "no problem+json"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One HTTP request; `status` is 0 if it got no answer, `code` is that of a problem."""

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
        """Return whether API Gateway itself refused it: an HTTP API cannot add Retry-After."""
        return self.status == 429 and self.code == NO_CODE


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a client, from the first request to the final answer.

    `person` is the customer's id, or empty if the operation names no customer.
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
        """Return the customers that a claim or an admission by hand took, each with a token.

        An offer has no token that callers see, so the name of its operation stands for it.
        """
        if not self.is_done:
            return []
        if self.kind == "claim":
            return [(one["customer_id"], one["claim_token"]) for one in self.answer["claims"]]
        names = [one["customer_id"] for one in self.answer["entries"]]
        return [(name, f"{name} offered at {self.began}") for name in names]


@dataclass(frozen=True)
class Loss:
    """A loss of Redis' data at some moment between `began` and `ended`."""

    began: float
    ended: float

    def is_during(self, operation: Operation) -> bool:
        """Return whether the operation may have been running when Redis was lost."""
        return operation.began < self.ended and operation.ended > self.began


class History:
    """All attempts and operations; grows while the load runs, and only one thread writes."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.operations: list[Operation] = []

    def of(self, *kinds: str) -> Iterator[Operation]:
        return (operation for operation in self.operations if operation.kind in kinds)

    def has_unknown(self) -> bool:
        return any(operation.outcome == "unknown" for operation in self.operations)
