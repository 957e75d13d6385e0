"""The size of a launch, and when its people come."""

import math
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class LaunchPlan:
    """`signup_rate` is that of the API, `public` and `private` are the functions' concurrency.

    `back_after` are the seconds, from and to, after which a person comes back whose client gave up.
    Who is still outside after `most_seconds` stays outside.
    """

    people: int = 50_000
    within_seconds: float = 60
    signup_rate: int = 100
    public: int = 16
    private: int = 4
    connections: int = 256
    back_after: tuple[float, float] = (120, 360)
    most_seconds: float = 2700
    seed: int = 1

    @property
    def limits(self) -> dict[str, int]:
        return {
            "SIGNUP_RATE_LIMIT": self.signup_rate,
            "PUBLIC_CONCURRENCY": self.public,
            "PRIVATE_CONCURRENCY": self.private,
        }

    def arrivals(self) -> Iterator[float]:
        """Yield the seconds after the opening at which people come, in order.

        Each sixth of the time, two of three of the people who are still to come do come.
        """
        steepness = 6.0
        part_in_time = 1 - math.exp(-steepness)
        for number in range(self.people):
            rest = 1 - (number + 0.5) / self.people * part_in_time
            yield -math.log(rest) / steepness * self.within_seconds
