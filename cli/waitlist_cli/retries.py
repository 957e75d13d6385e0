"""When to ask again: the policy that the service asks of every client (docs/time-budgets.md)."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

RETRIED_STATUSES = frozenset({429, 502, 503, 504})


def may_pass(status: int, code: str) -> bool:
    """Whether a repeat, with the same key, may be answered otherwise.

    A `500` without a problem's `code` is API Gateway's own: the function's environment was killed,
    perhaps after it had done what was asked. The service's own `500` is a defect, which stays.
    """
    return status in RETRIED_STATUSES or (status == 500 and not code)


@dataclass(frozen=True)
class RetryPolicy:
    """At most `tries` times in all, each given up after `timeout_seconds`.

    A pause is what the answer asks for, or `least_seconds`, and a random part on top, so that
    those who were turned away together do not come back together.
    """

    timeout_seconds: float = 30.0
    tries: int = 8
    least_seconds: float = 1.0
    first_jitter_seconds: float = 1.0
    most_jitter_seconds: float = 8.0
    most_asked_seconds: float = 30.0

    def pause_after(
        self,
        attempt: int,
        headers: Mapping[str, str],
        jitter: Callable[[], float] = random.random,
    ) -> float:
        """Return the seconds to wait after this attempt; the first is 0."""
        longest: float = min(self.first_jitter_seconds * 2**attempt, self.most_jitter_seconds)
        return self._asked(headers.get("retry-after", "")) + jitter() * longest

    def _asked(self, retry_after: str) -> float:
        if not (retry_after.isascii() and retry_after.isdecimal()):
            return self.least_seconds
        return min(float(retry_after), self.most_asked_seconds)


PATIENT = RetryPolicy()
# For whatever asks again by itself a second later.
ONCE = RetryPolicy(timeout_seconds=5.0, tries=1)
