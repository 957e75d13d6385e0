"""Collects metrics during a request or a maintenance run."""

import time
from threading import Lock
from typing import Any, Literal

# The names of the metrics that count how many times something happened.
Count = Literal[
    "audits_unfinished",
    "beats_lost",
    "beats_missed",
    "cold_guards",
    "holds_expired",
    "intents_finished",
    "losses_mended",
    "orders_outdated",
    "rebuilds_finished",
    "rebuilds_started",
]
# Counts that increase only during requests, so a maintenance run's log line leaves them out.
CountOfRequests = Literal["bot_checks_failed", "bot_checks_unavailable"]
# Metrics across all waitlists. The metrics `oldest_…` and `…_running_seconds` are maxima, and the
# others are sums.
Level = Literal[
    "admissions_overdue",
    "behind_seconds",
    "inside",
    "intents_stuck",
    "offered",
    "oldest_parked_seconds",
    "oldest_waiting_seconds",
    "parked",
    "rebuild_running_seconds",
    "troubles",
    "waiting",
    "waitlists",
    "waitlists_cold",
    "waitlists_left",
]

# The total time that the process has waited for other services. If several threads wait at the same
# time, their times are added.
Part = Literal["queue_ms", "record_ms"]


class MetricsCollector:
    """Collects numbers during a request or a maintenance run. It is thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._numbers: dict[str, float] = {}

    def add(self, name: Count | CountOfRequests | Level | Part, number: float = 1) -> None:
        with self._lock:
            self._numbers[name] = self._numbers.get(name, 0) + number

    def at_least(self, name: Level, number: float) -> None:
        """Set a metric to this number, unless the metric is already higher."""
        with self._lock:
            self._numbers[name] = max(self._numbers.get(name, 0), number)

    def take(self) -> dict[str, float]:
        """Return the collected numbers, and reset them to zero."""
        with self._lock:
            numbers, self._numbers = self._numbers, {}
        return numbers


class Timed:
    """Wraps an AWS client, and adds the duration of each call to the metrics."""

    def __init__(self, client: Any, metrics: MetricsCollector, part: Part) -> None:
        self._client = client
        self._metrics = metrics
        self._part = part

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)

        def timed(**arguments: Any) -> Any:
            began = time.perf_counter()
            try:
                return call(**arguments)
            finally:
                self._metrics.add(self._part, (time.perf_counter() - began) * 1000)

        return timed
