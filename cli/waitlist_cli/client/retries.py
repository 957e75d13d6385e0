"""The retry policy that the service asks of every client (docs/internals/time-budgets.md)."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

RETRIED_STATUSES = frozenset({429, 502, 503, 504})


def is_retryable(status: int, code: str) -> bool:
    """Return whether a retry with the same Idempotency-Key may succeed.

    A `500` without a `code` comes from API Gateway: the function was killed, perhaps after it had
    done the work. A `500` of the service itself is a defect, which a retry only repeats.
    """
    return status in RETRIED_STATUSES or (status == 500 and not code)


@dataclass(frozen=True)
class RetryPolicy:
    """At most `tries` tries in all, each with a timeout of `timeout_seconds`.

    The pause is `Retry-After`, or `least_seconds` without it, plus a random part, so that clients
    that were refused together do not retry together.
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
        """Return the seconds to wait after an attempt, counted from 0."""
        longest: float = min(self.first_jitter_seconds * 2**attempt, self.most_jitter_seconds)
        return self._asked(headers.get("retry-after", "")) + jitter() * longest

    def _asked(self, retry_after: str) -> float:
        if not (retry_after.isascii() and retry_after.isdecimal()):
            return self.least_seconds
        return min(float(retry_after), self.most_asked_seconds)


PATIENT = RetryPolicy()
# For requests that the caller repeats a second later anyway.
ONCE = RetryPolicy(timeout_seconds=5.0, tries=1)
