"""How long a call of Redis may still take."""

import math
import random
import threading
import time


class Deadline(threading.local):
    """Each thread's own: entered when a call begins, over when it ends."""

    def __init__(self, call_seconds: float) -> None:
        self.call_seconds = call_seconds
        self._end = math.inf

    def left(self) -> float:
        return self._end - time.monotonic()

    def at_most(self, seconds: float) -> float:
        """Return how long one wait may last; never nothing, which would mean not to wait."""
        left = self.left()
        return seconds if left >= seconds else max(0.001, left)

    def pause(self, most_seconds: float) -> None:
        """Wait for a random moment, and not beyond the end of the call."""
        time.sleep(random.uniform(0, self.at_most(most_seconds)))

    def __enter__(self) -> None:
        self._end = time.monotonic() + self.call_seconds

    def __exit__(self, *_error: object) -> None:
        self._end = math.inf
