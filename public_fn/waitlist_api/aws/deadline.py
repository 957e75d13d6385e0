"""How long the request that is being answered may still take."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Deadline:
    """One for a process, as an execution environment answers one request at a time.

    Outside of a request, in maintenance say, it never ends.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._end = math.inf

    def left(self) -> float:
        """Return the seconds left; below zero when they are over."""
        return self._end - self._monotonic()

    @contextmanager
    def limited_to(self, seconds: float) -> Iterator[None]:
        """Let the request that is answered within end in so many seconds."""
        self._end = self._monotonic() + seconds
        try:
            yield
        finally:
            self._end = math.inf
