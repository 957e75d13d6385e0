"""Implements the retry policy that the service recommends to its clients."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

RETRIED_STATUSES = frozenset({429, 502, 503, 504})


def is_retryable(status: int, code: str) -> bool:
    """Return whether a retry with the same Idempotency-Key may succeed."""
    # A 500 response without a `code` comes from API Gateway itself, for example because AWS killed
    # the Lambda function, so a retry may succeed.
    return status in RETRIED_STATUSES or (status == 500 and not code)


@dataclass(frozen=True)
class RetryPolicy:
    """How many times to try a request, and how long to wait between attempts.

    The client waits for the number of seconds in the response's `Retry-After` header, or for
    `least_seconds` if there is none. In both cases, it adds a random time.
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
        """Return how many seconds to wait after an attempt. Attempts are numbered from 0."""
        longest: float = min(self.first_jitter_seconds * 2**attempt, self.most_jitter_seconds)
        return self._asked(headers.get("retry-after", "")) + jitter() * longest

    def _asked(self, retry_after: str) -> float:
        if not (retry_after.isascii() and retry_after.isdecimal()):
            return self.least_seconds
        return min(float(retry_after), self.most_asked_seconds)


PATIENT = RetryPolicy()
# For callers that send the request again at regular intervals, so a failed attempt needs no retry.
ONCE = RetryPolicy(timeout_seconds=5.0, tries=1)
