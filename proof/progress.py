"""Shows how far a run is: cases done, how many a second, and how long it will take."""

import sys
import time

EVERY_SECONDS = 5.0


class Progress:
    """Counts cases and jobs; the time left is that of the jobs left, as long as those done."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._began = self._shown = time.monotonic()
        self._done = self._cases = 0

    def note(self, cases: int, *, is_job_done: bool) -> None:
        self._cases += cases
        self._done += is_job_done
        if time.monotonic() - self._shown > EVERY_SECONDS:
            self._shown = time.monotonic()
            self._show()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def _show(self) -> None:
        rate = self._cases / self.seconds
        left = self.seconds / max(self._done, 1) * (self._jobs - self._done)
        print(
            f"{self._cases:,} cases, {rate:.0f} a second, {self._done} of {self._jobs} jobs done,"
            f" about {left:.0f} seconds left",
            file=sys.stderr,
            flush=True,
        )
