"""Implements the retry policy that every client should use (docs/internals/time-budgets.md)."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

RETRIED_STATUSES = frozenset({429, 502, 503, 504})


def is_retryable(status: int, code: str) -> bool:
    """Return whether a retry with the same Idempotency-Key may succeed.

    If a status `500` has no `code`, the response comes from API Gateway. The function was killed,
    perhaps after it had done the work. If a status `500` has a `code`, the service has a defect, so
    a retry would fail too.
    """
    return status in RETRIED_STATUSES or (status == 500 and not code)


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long to retry a request.

    A request is sent at most `tries` times, each time with a timeout of `timeout_seconds`. The
    pause before a retry is the value of the header `Retry-After`. If the response has no such
    header, the pause is `least_seconds`. A random time is added, so that clients that failed at the
    same time do not retry at the same time.
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
        """Return how many seconds to wait after an attempt. The first attempt has the number 0."""
        longest: float = min(self.first_jitter_seconds * 2**attempt, self.most_jitter_seconds)
        return self._asked(headers.get("retry-after", "")) + jitter() * longest

    def _asked(self, retry_after: str) -> float:
        if not (retry_after.isascii() and retry_after.isdecimal()):
            return self.least_seconds
        return min(float(retry_after), self.most_asked_seconds)


PATIENT = RetryPolicy()
# The retry policy for requests that the caller repeats anyway.
ONCE = RetryPolicy(timeout_seconds=5.0, tries=1)
