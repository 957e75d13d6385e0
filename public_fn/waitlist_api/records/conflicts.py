"""Retry an operation that lost to a concurrent write of the same entry or waitlist."""

from collections.abc import Callable
from typing import TypeVar

from waitlist_api.errors import Throttled
from waitlist_shared.errors import WaitlistError

# An attempt fails only if a concurrent write was faster. Losing twice in a row is rare.
MAX_CONFLICT_RETRIES = 4

T = TypeVar("T")


def retry_on_conflict(
    attempt: Callable[[], T | None], exhausted: type[WaitlistError] = Throttled
) -> T:
    """Call `attempt` until it returns a result, and raise `exhausted` if it never does.

    `attempt` returns None if it has lost to a concurrent write.
    """
    for _ in range(MAX_CONFLICT_RETRIES):
        result = attempt()
        if result is not None:
            return result
    raise exhausted
