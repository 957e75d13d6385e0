"""What piles up while one request or one run of maintenance is worked on, to be measured."""

import time
from threading import Lock
from typing import Any, Literal

# How often something happened.
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
# How things stand, over all waitlists: `oldest` and `running` are of the worst of them.
Level = Literal[
    "intents_stuck",
    "offered",
    "oldest_parked_seconds",
    "oldest_waiting_seconds",
    "parked",
    "rebuild_running_seconds",
    "waiting",
    "waitlists",
    "waitlists_cold",
]

# How long others were waited for; of threads that wait at once the sum.
Part = Literal["queue_ms", "record_ms"]


class MetricsCollector:
    """Counts from any thread; one for a process, which does one thing at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._numbers: dict[str, float] = {}

    def add(self, name: Count | Level | Part, number: float = 1) -> None:
        """Count on."""
        with self._lock:
            self._numbers[name] = self._numbers.get(name, 0) + number

    def at_least(self, name: Level, number: float) -> None:
        """Keep the largest number that was told."""
        with self._lock:
            self._numbers[name] = max(self._numbers.get(name, 0), number)

    def take(self) -> dict[str, float]:
        """Return what has piled up, and begin anew."""
        with self._lock:
            numbers, self._numbers = self._numbers, {}
        return numbers


class Timed:
    """A client, the time of whose calls is counted."""

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
