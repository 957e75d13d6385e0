"""The deadline of the current request."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Deadline:
    """The deadline of the current request.

    Each process has one deadline object, because Lambda sends a process only one request at a time.
    Outside a request, for example during maintenance, there is no deadline.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._end = math.inf

    def left(self) -> float:
        """Return the number of seconds left. The number is negative after the deadline."""
        return self._end - self._monotonic()

    @contextmanager
    def limited_to(self, seconds: float) -> Iterator[None]:
        """Set the deadline while the `with` block runs."""
        self._end = self._monotonic() + seconds
        try:
            yield
        finally:
            self._end = math.inf
