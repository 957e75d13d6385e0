"""The deadline of the current request."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Deadline:
    """The deadline of the current request. Outside a request, there is no deadline."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._end = math.inf

    def left(self) -> float:
        """Return the remaining time in seconds. The result is negative after the deadline."""
        return self._end - self._monotonic()

    @contextmanager
    def limited_to(self, seconds: float) -> Iterator[None]:
        """Set the deadline while the `with` block runs."""
        self._end = self._monotonic() + seconds
        try:
            yield
        finally:
            self._end = math.inf
