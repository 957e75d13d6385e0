"""The time limit for calls to Redis."""

import math
import random
import threading
import time


class Deadline(threading.local):
    """Limits how long a call to Redis may take.

    Each thread has its own deadline, which is set when the thread enters the `with` block.
    """

    def __init__(self, call_seconds: float) -> None:
        self.call_seconds = call_seconds
        self._end = math.inf

    def left(self) -> float:
        return self._end - time.monotonic()

    def at_most(self, seconds: float) -> float:
        """Return the timeout for a single wait: `seconds`, or the remaining time if that is
        shorter.
        """
        # The result is never 0, because a socket with a timeout of 0 does not wait at all.
        left = self.left()
        return seconds if left >= seconds else max(0.001, left)

    def pause(self, most_seconds: float) -> None:
        """Sleep for a random time of at most `most_seconds` seconds, but not beyond the
        deadline.
        """
        time.sleep(random.uniform(0, self.at_most(most_seconds)))

    def __enter__(self) -> None:
        self._end = time.monotonic() + self.call_seconds

    def __exit__(self, *_error: object) -> None:
        self._end = math.inf
