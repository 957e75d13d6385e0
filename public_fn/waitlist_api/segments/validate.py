"""Validates requests by the segments that a waitlist declares."""

from collections.abc import Callable
from typing import TypeVar

from waitlist_api.errors import InvalidFields
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlist_cache import WaitlistCache

T = TypeVar("T")


def checked(waitlist_cache: WaitlistCache, waitlist_id: str, check: Callable[[Segments], T]) -> T:
    """Return the result of `check`; raise InvalidFields only by the current segments.

    The cached segments may be old, so a refusal by them is checked again.
    """
    try:
        return check(waitlist_cache.find(waitlist_id).segments)
    except InvalidFields:
        return check(waitlist_cache.look_up(waitlist_id).segments)
