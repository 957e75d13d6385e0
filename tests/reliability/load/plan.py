"""The size of a load test: clients, duration, and the service's concurrency."""

from dataclasses import dataclass

WAITLIST_ID = "overload"
# Setting of the waitlist: so high that no entry is parked after its last attempt.
MAX_ATTEMPTS = 100


@dataclass(frozen=True)
class Plan:
    """The load ends after `seconds`, or after `operations` where that is given.

    When time is up, clients give up their current operation, and some never get its answer. When
    all operations have begun, and one of each of `kinds`, each client completes its own.
    """

    clients: int = 200
    seconds: float = 60
    operations: int | None = None
    kinds: frozenset[str] = frozenset()
    private_concurrency: int = 4
    lease_seconds: int = 20
    seed: int = 1

    @property
    def operators(self) -> int:
        """Return how many of the clients are operators: one in twenty."""
        return max(1, self.clients // 20)

    @property
    def customers(self) -> int:
        return self.clients - self.operators
