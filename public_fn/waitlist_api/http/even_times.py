"""Answers that take the same time, whatever the service has found."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from waitlist_api.clock import NowMillis

# More than nearly all signups take. The times of slower ones differ by whole steps.
STEP_MILLIS = 300


class EvenTimes(Struct, frozen=True):
    """Ends requests at a whole number of steps after they came, also those that are refused."""

    now_millis: NowMillis
    pause: Callable[[float], None]

    def now(self) -> int:
        return self.now_millis()

    @contextmanager
    def since(self, began_millis: int) -> Iterator[None]:
        """Wait, at the end, for the next step."""
        try:
            yield
        finally:
            taken = max(0, self.now_millis() - began_millis)
            self.pause((STEP_MILLIS - taken % STEP_MILLIS) / 1000)
