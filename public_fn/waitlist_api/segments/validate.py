"""Holds requests against the segments that a waitlist declares."""

from collections.abc import Callable
from typing import TypeVar

from waitlist_api.errors import InvalidFields
from waitlist_api.records.segments import Segments
from waitlist_api.records.waitlist_cache import WaitlistCache

T = TypeVar("T")


def checked(waitlist_cache: WaitlistCache, waitlist_id: str, check: Callable[[Segments], T]) -> T:
    """Return what a check makes of the segments; raise InvalidFields only by those of now.

    What is remembered of a waitlist may be old, and nobody may be refused by it.
    """
    try:
        return check(waitlist_cache.find(waitlist_id).segments)
    except InvalidFields:
        return check(waitlist_cache.look_up(waitlist_id).segments)
