"""Retry an operation if another process has written to the same entry or waitlist at the same
time.
"""

from collections.abc import Callable
from typing import TypeVar

from waitlist_shared.errors import Throttled, WaitlistError

# An attempt fails only if a concurrent write came first, so several failures in a row are rare.
MAX_CONFLICT_RETRIES = 4

T = TypeVar("T")


def retry_on_conflict(
    attempt: Callable[[], T | None], exhausted: type[WaitlistError] = Throttled
) -> T:
    """Call `attempt` until it returns a result. Raise `exhausted` if it returns None too many
    times.
    """
    for _ in range(MAX_CONFLICT_RETRIES):
        result = attempt()
        if result is not None:
            return result
    raise exhausted
