"""Shows the progress of a run: jobs, cases, failures, time left."""

import sys
import time

EVERY_SECONDS = 5.0


class Progress:
    """Counts jobs and cases; estimates the time left from the jobs of this run."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._began = self._shown = time.monotonic()
        self._done = self._cases = self._failing = 0

    def note(self, cases: int, failing: int) -> None:
        self._cases += cases
        self._failing += failing
        self._done += 1
        if time.monotonic() - self._shown > EVERY_SECONDS:
            self._shown = time.monotonic()
            self._show()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began

    def _show(self) -> None:
        left = self.seconds / self._done * (self._jobs - self._done)
        print(
            f"{self._done:,} of {self._jobs:,} jobs done, {self._cases:,} cases,"
            f" {self._failing:,} fail, at most about {left / 60:.0f} minutes left",
            file=sys.stderr,
            flush=True,
        )
