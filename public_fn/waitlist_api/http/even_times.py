"""Evens out response times, so that the duration of a request reveals almost nothing about its
result.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from waitlist_api.clock import NowMillis

# The duration of every response is a multiple of this many milliseconds. Nearly all signups finish
# within this time, so their responses take equally long.
STEP_MILLIS = 300


class EvenTimes(Struct, frozen=True):
    """Pads the duration of each request to a multiple of STEP_MILLIS, even if the request fails."""

    now_millis: NowMillis
    pause: Callable[[float], None]

    def now(self) -> int:
        return self.now_millis()

    @contextmanager
    def since(self, began_millis: int) -> Iterator[None]:
        """Run the `with` block, and then sleep until the duration is a multiple of STEP_MILLIS."""
        try:
            yield
        finally:
            taken = max(0, self.now_millis() - began_millis)
            self.pause((STEP_MILLIS - taken % STEP_MILLIS) / 1000)
