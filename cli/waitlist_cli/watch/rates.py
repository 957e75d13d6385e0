"""Computes how fast two counters have grown over the last ten seconds."""

from collections import deque

WINDOW_SECONDS = 10.0


class Rates:
    """The growth of two counters per second. It is None until two samples have been added."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int, int]] = deque()

    def add(self, now: float, joined: int, gone: int) -> None:
        self._samples.append((now, joined, gone))
        while len(self._samples) > 2 and now - self._samples[0][0] > WINDOW_SECONDS:
            self._samples.popleft()

    @property
    def joined(self) -> float | None:
        return self._growth(1)

    @property
    def gone(self) -> float | None:
        return self._growth(2)

    def _growth(self, which: int) -> float | None:
        if len(self._samples) < 2:
            return None
        first, last = self._samples[0], self._samples[-1]
        seconds = last[0] - first[0]
        # If a waitlist is deleted and recreated, its counters restart at zero, and the growth would
        # be negative. Return 0 instead.
        return max(0.0, (last[which] - first[which]) / seconds) if seconds > 0 else None
