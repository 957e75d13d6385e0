"""One line of JSON for each piece of work: its log, and its metrics.

Where a namespace is given, the line is a record of CloudWatch's embedded metric format, so that
metrics cost no call and no line of their own; it is then written at every log level. Metrics are
of the whole service, and of each operation and outcome; never of a waitlist or a person.
"""

import re
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import msgspec

# What is measured of every piece of work, of the service and of operation and outcome.
OF_EACH = ("requests", "latency_ms")
SERVICE = ("service",)
OPERATION = ("service", "operation", "outcome")
UNITS = {"ms": "Milliseconds", "seconds": "Seconds"}
LEVELS_THAT_TELL_ALL = ("DEBUG", "INFO")
# Where Lambda says which trace the invocation is part of.
TRACE = "_X_AMZN_TRACE_ID"
SAMPLED = re.compile(r"Root=([0-9a-f-]+);.*Sampled=1")
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of work that is done; `measured` are more metrics of the service, by name.

    A name that ends in `_ms` or `_seconds` has that unit, any other counts. `about` is for the
    log alone. An id has no character that JSON would escape.
    """

    operation: str
    outcome: str
    correlation_id: str
    latency_ms: float
    has_failed: bool = False
    measured: Mapping[str, float] = NOTHING
    about: Mapping[str, float] = NOTHING


class Telemetry:
    """Writes the lines of one service."""

    def __init__(
        self,
        service: str,
        *,
        namespace: str,
        log_level: str,
        environ: Mapping[str, str],
        now_seconds: Callable[[], float] = time.time,
    ) -> None:
        self._service = service
        self._namespace = namespace
        self._is_told = bool(namespace) or log_level.upper() in LEVELS_THAT_TELL_ALL
        self._environ = environ
        self._now_seconds = now_seconds
        self._is_first = True

    def tell(self, work: Work) -> None:
        """Write the line of a piece of work."""
        cold_start, self._is_first = self._is_first, False
        if not self._is_told:
            return
        form = _form(
            self._service,
            work.operation,
            work.outcome,
            tuple(work.measured),
            tuple(work.about),
            self._namespace,
        )
        line = form % (
            work.latency_ms,
            work.has_failed,
            *work.measured.values(),
            *work.about.values(),
            work.correlation_id,
            "true" if cold_start else "false",
            _sampled(self._environ.get(TRACE)),
            self._now(),
        )
        # One write, so that threads and processes do not tear each other's lines.
        sys.stdout.write(line)

    def _now(self) -> int | str:
        seconds = self._now_seconds()
        if self._namespace:
            return int(seconds * 1000)
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


# Lines are alike but for their numbers and ids: to make the rest of each anew would cost the
# private function a tenth of its time.
@lru_cache(maxsize=1024)
def _form(
    service: str,
    operation: str,
    outcome: str,
    measured: tuple[str, ...],
    about: tuple[str, ...],
    namespace: str,
) -> str:
    """Return a line with a place for each number, for both ids and the time."""
    head = {
        "level": "INFO",
        "service": service,
        "operation": operation,
        "outcome": outcome,
        "requests": 1,
    }
    names = ("latency_ms", "failures", *measured, *about)
    numbers = ",".join(f'"{name}":{"%.3f" if name.endswith("_ms") else "%d"}' for name in names)
    tail = ',"time":"%s"'
    if namespace:
        of_each = _directive(namespace, [SERVICE, OPERATION], OF_EACH)
        of_service = _directive(namespace, [SERVICE], ("failures", *measured))
        tail = f',"_aws":{{"CloudWatchMetrics":{_fixed([of_each, of_service])},"Timestamp":%d}}'
    ids = '"correlation_id":"%s","cold_start":%s%s'
    return f"{_fixed(head)[:-1]},{numbers},{ids}{tail}}}\n"


def _fixed(value: Any) -> str:
    return msgspec.json.encode(value).decode().replace("%", "%%")


def _directive(
    namespace: str, dimensions: list[tuple[str, ...]], names: tuple[str, ...]
) -> dict[str, Any]:
    return {
        "Namespace": namespace,
        "Dimensions": dimensions,
        "Metrics": [{"Name": name, "Unit": unit_of(name)} for name in names],
    }


def unit_of(name: str) -> str:
    """Return CloudWatch's unit of a metric, which the end of its name tells."""
    return UNITS.get(name.rpartition("_")[2], "Count")


def _sampled(header: str | None) -> str:
    """Return what a line says of the trace that is recorded; nothing if none is."""
    found = SAMPLED.match(header) if header else None
    return f',"trace_id":"{found[1]}"' if found else ""
