"""Tells of each run of maintenance in one line: what it did, and how all waitlists stand."""

import time
from collections.abc import Callable, Mapping
from typing import Any, get_args

from waitlist_api.observability.metrics import Count, Level, MetricsCollector, Part
from waitlist_shared.correlation import Correlation, given
from waitlist_shared.telemetry import Span, Telemetry

DONE, FAILED = "ok", "failed"
OF_ALL, OF_ONE = "minute", "waitlist"
COUNTS, LEVELS, PARTS = get_args(Count), get_args(Level), get_args(Part)


class RunLog:
    """One line for each run, whatever becomes of it."""

    def __init__(
        self,
        telemetry: Telemetry,
        correlation: Correlation,
        metrics: MetricsCollector,
        seconds: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._telemetry = telemetry
        self._correlation = correlation
        self._metrics = metrics
        self._seconds = seconds

    def told(self, event: Mapping[str, Any], request_id: str, run: Callable[[], None]) -> None:
        """Do a run, which has the id of the request that asked for it, or one of its own."""
        id_ = given(event) or request_id
        self._correlation.begin(id_)
        began = self._seconds()
        is_done = False
        try:
            run()
            is_done = True
        finally:
            self._correlation.end()
            self._tell(event, id_, is_done, (self._seconds() - began) * 1000)

    def _tell(self, event: Mapping[str, Any], id_: str, is_done: bool, milliseconds: float) -> None:
        operation = OF_ONE if event.get("waitlist_id") else OF_ALL
        numbers = self._metrics.take()
        names = COUNTS
        if is_done and operation == OF_ALL:
            # How everything stands is known to those alone who have seen everything.
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
        self._telemetry.write(span)
