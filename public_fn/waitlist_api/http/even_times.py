"""Makes responses take the same time, so that their duration reveals nothing about the result."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from waitlist_api.clock import NowMillis

# Nearly all signups take less time than this. The durations of slower signups differ by whole
# steps.
STEP_MILLIS = 300


class EvenTimes(Struct, frozen=True):
    """Delays each request until a whole number of steps after its start, even if it fails."""

    now_millis: NowMillis
    pause: Callable[[float], None]

    def now(self) -> int:
        return self.now_millis()

    @contextmanager
    def since(self, began_millis: int) -> Iterator[None]:
        """Run the `with` block, and then wait until the next step."""
        try:
            yield
        finally:
            taken = max(0, self.now_millis() - began_millis)
            self.pause((STEP_MILLIS - taken % STEP_MILLIS) / 1000)
