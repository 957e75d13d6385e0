"""The size of a run: clients, duration, and the limits of the service."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

WAITLIST_ID = "overload"
# Setting of the waitlist: so high that no entry is parked after its last attempt.
MAX_ATTEMPTS = 100
SHORTEST_OFFER = 10


def option(usual: Any, meaning: str) -> Any:
    """Return a field that the command line sets; it has whole numbers alone."""
    return field(default=usual, metadata={"help": meaning})


@dataclass(frozen=True)
class Plan:
    """An overload. The load ends after `seconds`, or after `operations` where that is given.

    When time is up, clients give up their current operation, and some never get its answer. When
    all operations have begun, and one of each of `kinds`, each client completes its own.
    """

    clients: int = option(200, "at once")
    seconds: float = option(60, "of load")
    operations: int | None = option(None, "end the load by their number, not by time")
    private_concurrency: int = option(4, "calls of the private function at once")
    lease_seconds: int = option(20, "of a claim")
    seed: int = option(1, "of what clients do")
    kinds: frozenset[str] = frozenset()

    @property
    def operators(self) -> int:
        """Return how many of the clients are operators: one in twenty."""
        return max(1, self.clients // 20)

    @property
    def customers(self) -> int:
        return self.clients - self.operators

    @property
    def limits(self) -> dict[str, int]:
        return {"PRIVATE_CONCURRENCY": self.private_concurrency}

    @property
    def settings(self) -> dict[str, Any]:
        """Return the list's: operators alone offer places, so each offer has a request."""
        return {
            "name": "Overload",
            "lease_seconds": self.lease_seconds,
            "admission": {"offer_seconds": max(SHORTEST_OFFER, self.lease_seconds)},
            "max_attempts": MAX_ATTEMPTS,
        }


@dataclass(frozen=True)
class LaunchPlan:
    """A launch: all people come at once, most are refused at first, and all get in.

    `back_after` are the seconds, from and to, after which a person comes back whose client gave up.
    Who is still outside after `most_seconds` stays outside.
    """

    people: int = option(50_000, "who come")
    within_seconds: float = option(60, "until the last comes")
    signup_rate: int = option(100, "signups a second that the API lets pass")
    public_concurrency: int = option(16, "calls of the public function at once")
    private_concurrency: int = option(4, "calls of the private function at once")
    connections: int = option(256, "of all people together")
    most_seconds: float = option(2700, "after which no other customer gets in")
    seed: int = option(1, "of the pauses")
    back_after: tuple[float, float] = (120, 360)
    lease_seconds: int = 0  # a launch has no claims

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
        """Yield the seconds after the opening at which people come, in order.

        Each sixth of the time, two of three of the people who are still to come do come.
        """
        steepness = 6.0
        part_in_time = 1 - math.exp(-steepness)
        for number in range(self.people):
            rest = 1 - (number + 0.5) / self.people * part_in_time
            yield -math.log(rest) / steepness * self.within_seconds
