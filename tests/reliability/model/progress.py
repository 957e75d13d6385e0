"""Shows the model checker's progress: jobs, cases, failures and time."""

import sys
import time

EVERY_SECONDS = 5.0


class Progress:
    """Counts the finished jobs and cases.

    It cannot estimate the remaining time, because some jobs are much larger than others.
    """

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
        print(
            f"{self._done:,} of {self._jobs:,} jobs done in {self.seconds / 60:.1f} minutes,"
            f" {self._cases:,} cases, {self._failing:,} fail",
            file=sys.stderr,
            flush=True,
        )
