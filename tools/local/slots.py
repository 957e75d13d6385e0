"""A bounded number of slots, first come, first served."""

import threading
from collections import deque


class Slots:
    """A semaphore would let whoever comes at the right moment overtake those who wait: under load
    some then wait ten times as long as others."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    def take(self, timeout_seconds: float) -> bool:
        """Whether a slot came free in time; it is then the caller's to give back."""
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            mine = threading.Event()
            self._waiting.append(mine)
        return mine.wait(timeout_seconds) or self._handed_over_after_all(mine)

    def give(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1

    def _handed_over_after_all(self, mine: threading.Event) -> bool:
        with self._lock:
            if not mine.is_set():
                self._waiting.remove(mine)
            return mine.is_set()
