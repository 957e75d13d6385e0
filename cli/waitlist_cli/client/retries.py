"""Implements the recommended retry policy for clients."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

RETRIED_STATUSES = frozenset({429, 502, 503, 504})


def is_retryable(status: int, code: str) -> bool:
    """Return whether a retry with the same Idempotency-Key may succeed."""
    # API Gateway sends a status 500 without a `code` if the function was killed. A retry may
    # succeed. If there is a `code`, the service has a defect and would fail again.
    return status in RETRIED_STATUSES or (status == 500 and not code)


@dataclass(frozen=True)
class RetryPolicy:
    """The number of attempts, the timeout of each attempt, and the pauses between attempts.

    If a response has the header `Retry-After`, the header sets the pause. Otherwise, the pause is
    `least_seconds`. A random time is added, so that clients do not all retry at the same moment.
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
