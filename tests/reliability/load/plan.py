"""How much load, for how long, and how little room it meets."""

from dataclasses import dataclass

WAITLIST_ID = "overload"
# The list's: nobody is parked for having been offered too often.
MAX_ATTEMPTS = 100


@dataclass(frozen=True)
class Plan:
    """The load ends after `seconds`, or after `operations` where that is given.

    When time is up, clients give up their current operation, and some never get its answer. When
    all operations have begun, each client completes its own.
    """

    clients: int = 200
    seconds: float = 60
    operations: int | None = None
    private_concurrency: int = 4
    lease_seconds: int = 20
    seed: int = 1

    @property
    def operators(self) -> int:
        """Of twenty clients one is an operator."""
        return max(1, self.clients // 20)

    @property
    def customers(self) -> int:
        return self.clients - self.operators
