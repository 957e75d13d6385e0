"""The requests of clients and their answers, by the clients' clock."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Outcome = Literal["done", "refused", "unknown"]


@dataclass(frozen=True)
class Attempt:
    """One HTTP request; `status` is 0 where no answer came, `code` that of a problem."""

    kind: str
    began: float
    ended: float
    status: int
    code: str = ""
    retry_after: str = ""

    @property
    def seconds(self) -> float:
        return self.ended - self.began


@dataclass(frozen=True)
class Operation:
    """What one client wanted, from its first request to the answer that ended it.

    `person` is the customer's id, empty where it is about nobody yet.
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


@dataclass(frozen=True)
class Loss:
    """Redis lost what it held, at some moment between these two."""

    began: float
    ended: float

    def is_during(self, operation: Operation) -> bool:
        """Whether a request was under way when Redis was lost."""
        return operation.began < self.ended and operation.ended > self.began


class History:
    """Grows while the load runs; only one thread writes."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.operations: list[Operation] = []

    def of(self, *kinds: str) -> Iterator[Operation]:
        return (operation for operation in self.operations if operation.kind in kinds)

    def has_unknown(self) -> bool:
        return any(operation.outcome == "unknown" for operation in self.operations)
