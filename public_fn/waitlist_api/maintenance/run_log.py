"""Write one log line for each maintenance run, with its counts and gauges."""

import time
from collections.abc import Callable, Mapping
from typing import Any, get_args

from msgspec import Struct

from waitlist_api.observability.metrics import Count, Level, MetricsCollector, Part
from waitlist_shared.correlation import Correlation, read_correlation_id
from waitlist_shared.telemetry import Span, Telemetry

DONE, FAILED = "ok", "failed"
OF_ALL, OF_ONE = "minute", "waitlist"
COUNTS, LEVELS, PARTS = get_args(Count), get_args(Level), get_args(Part)
# The thresholds for the values of a maintenance run. Each value that exceeds its threshold counts
# as a problem in the run's log line. The alarms in template.yaml use the same thresholds.
TROUBLES: Mapping[str, float] = {
    "admissions_overdue": 0,
    "beats_missed": 0,
    "behind_seconds": 180,
    "intents_stuck": 0,
    "rebuild_running_seconds": 900,
}


class RunLog(Struct, frozen=True):
    """Writes one log line for each maintenance run, including failed runs."""

    telemetry: Telemetry
    correlation: Correlation
    metrics: MetricsCollector
    seconds: Callable[[], float] = time.perf_counter

    def run(self, event: Mapping[str, Any], request_id: str, work: Callable[[], None]) -> None:
        """Execute a maintenance run and log it.

        If a request started the run, the log line contains that request's correlation id. Otherwise
        it contains a new id.
        """
        id_ = read_correlation_id(event) or request_id
        self.correlation.id = id_
        began = self.seconds()
        is_done = False
        try:
            work()
            is_done = True
        finally:
            self.correlation.id = ""
            self._log(event, id_, is_done, (self.seconds() - began) * 1000)

    def _log(self, event: Mapping[str, Any], id_: str, is_done: bool, milliseconds: float) -> None:
        operation = OF_ONE if event.get("waitlist_id") else OF_ALL
        numbers = self.metrics.take()
        numbers["troubles"] = count_troubles(numbers)
        names = COUNTS
        if is_done and operation == OF_ALL:
            # The gauges cover all waitlists, so only a run that has visited all waitlists reports
            # them.
            names = (*COUNTS, *LEVELS)
        span = Span(
            operation=operation,
            outcome=DONE if is_done else FAILED,
            correlation_id=id_,
            latency_ms=milliseconds,
            has_failed=not is_done,
            measured={name: numbers.get(name, 0) for name in names},
            about={name: numbers.get(name, 0) for name in PARTS},
        )
        self.telemetry.write(span)


def count_troubles(numbers: Mapping[str, float]) -> int:
    """Return how many of these numbers exceed their thresholds."""
    return sum(numbers.get(name, 0) > most for name, most in TROUBLES.items())
