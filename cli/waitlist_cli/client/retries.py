"""The retry policy that every client should follow (docs/internals/time-budgets.md)."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

RETRIED_STATUSES = frozenset({429, 502, 503, 504})


def is_retryable(status: int, code: str) -> bool:
    """Return whether a retry with the same Idempotency-Key may succeed.

    A `500` without a `code` comes from API Gateway. It means that the function was killed, perhaps
    after it had done the work. A `500` with a `code` is a defect of the service, and a retry would
    fail again.
    """
    return status in RETRIED_STATUSES or (status == 500 and not code)


@dataclass(frozen=True)
class RetryPolicy:
    """The limits of retries: at most `tries` tries, each with a timeout of `timeout_seconds`.

    The pause before a retry is the value of `Retry-After`, or `least_seconds` if the response has
    no such header, plus a random part. The random part keeps clients that were refused at the
    same time from retrying at the same time.
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
# The policy for requests that the caller repeats soon anyway.
ONCE = RetryPolicy(timeout_seconds=5.0, tries=1)
