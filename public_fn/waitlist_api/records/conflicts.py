"""Retries after another request has changed the same entry or waitlist."""

from collections.abc import Callable
from typing import TypeVar

from waitlist_api.errors import Throttled
from waitlist_shared.errors import WaitlistError

# In each attempt another request was faster. Two in a row are rare.
MAX_CONFLICT_RETRIES = 4

T = TypeVar("T")


def retry_on_conflict(
    attempt: Callable[[], T | None], exhausted: type[WaitlistError] = Throttled
) -> T:
    """Call `attempt` until it returns a result; None means a conflict. Raises `exhausted`."""
    for _ in range(MAX_CONFLICT_RETRIES):
        result = attempt()
        if result is not None:
            return result
    raise exhausted
