"""The size of a load test: its number of clients, its duration and the service's limits."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

WAITLIST_ID = "overload"
# A number of attempts so high that no entry is ever parked.
MAX_ATTEMPTS = 100
SHORTEST_OFFER = 10


def option(usual: Any, meaning: str) -> Any:
    return field(default=usual, metadata={"help": meaning})


@dataclass(frozen=True)
class Plan:
    """A load test's settings.

    The test ends after `seconds` or after a number of operations. A test with a number of
    operations includes every kind of operation in `kinds`.
    """

    clients: int = option(200, "clients at the same time")
    seconds: float = option(60, "seconds that the load lasts")
    operations: int | None = option(None, "end after this many operations instead of after a time")
    private_concurrency: int = option(4, "concurrent calls to the private function")
    lease_seconds: int = option(20, "seconds that a claim lasts")
    seed: int = option(1, "seed for what the clients do")
    kinds: frozenset[str] = frozenset()

    @property
    def operators(self) -> int:
        return max(1, self.clients // 20)

    @property
    def customers(self) -> int:
        return self.clients - self.operators

    @property
    def limits(self) -> dict[str, int]:
        return {"PRIVATE_CONCURRENCY": self.private_concurrency}

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "name": "Overload",
            "lease_seconds": self.lease_seconds,
            "admission": {"offer_seconds": max(SHORTEST_OFFER, self.lease_seconds)},
            "max_attempts": MAX_ATTEMPTS,
        }


@dataclass(frozen=True)
class LaunchPlan:
    """A launch's settings.

    Everyone arrives within a short time, and most people are refused at first. A person whose
    client gives up tries again later. `back_after` gives the shortest and the longest wait in
    seconds.
    """

    people: int = option(50_000, "people who sign up")
    within_seconds: float = option(60, "seconds until the last person arrives")
    signup_rate: int = option(100, "signups per second that the API lets through")
    public_concurrency: int = option(16, "concurrent calls to the public function")
    private_concurrency: int = option(4, "concurrent calls to the private function")
    connections: int = option(256, "connections that all people share")
    most_seconds: float = option(2700, "seconds after which nobody else gets in")
    seed: int = option(1, "seed for the pauses")
    back_after: tuple[float, float] = (120, 360)
    lease_seconds: int = 0  # There are no claims in a launch.

    @property
    def limits(self) -> dict[str, int]:
        return {
            "SIGNUP_RATE_LIMIT": self.signup_rate,
            "PUBLIC_CONCURRENCY": self.public_concurrency,
            "PRIVATE_CONCURRENCY": self.private_concurrency,
        }

    @property
    def settings(self) -> dict[str, Any]:
        return {"name": "Launch"}

    @property
    def names(self) -> list[str]:
        return [f"person-{number:05d}" for number in range(self.people)]

    def arrivals(self) -> Iterator[float]:
        """Yield each person's arrival time. Most people arrive at the beginning."""
        steepness = 6.0
        part_in_time = 1 - math.exp(-steepness)
        for number in range(self.people):
            rest = 1 - (number + 0.5) / self.people * part_in_time
            yield -math.log(rest) / steepness * self.within_seconds
