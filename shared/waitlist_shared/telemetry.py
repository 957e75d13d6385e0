"""One line of JSON for each piece of work: its log, and its metrics.

Where a namespace is given, the line is a record of CloudWatch's embedded metric format, so that
metrics cost no call and no line of their own; it is then written at every log level. Metrics are
of the whole service, and of each operation and outcome; never of a waitlist or a person.
"""

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
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of work that is done; `measured` are more metrics of the service, by name.

    A name that ends in `_ms` or `_seconds` has that unit, any other counts. `about` is for the
    log alone.
    """

    operation: str
    outcome: str
    correlation_id: str
    latency_ms: float
    has_failed: bool = False
    measured: Mapping[str, float] = NOTHING
    about: Mapping[str, object] = NOTHING


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
        own: dict[str, Any] = {
            "latency_ms": round(work.latency_ms, 3),
            "failures": int(work.has_failed),
            "correlation_id": work.correlation_id,
            "cold_start": cold_start,
        }
        own |= work.about
        own |= work.measured
        if trace_id := _sampled(self._environ.get(TRACE)):
            own["trace_id"] = trace_id
        head = _head(self._service, work.operation, work.outcome)
        line = head + msgspec.json.encode(own)[1:-1] + self._tail(tuple(work.measured))
        # One write, so that threads and processes do not tear each other's lines.
        sys.stdout.write(line.decode())

    def _tail(self, measured: tuple[str, ...]) -> bytes:
        seconds = self._now_seconds()
        if self._namespace:
            return b"%s%d}}\n" % (_directives(self._namespace, measured), seconds * 1000)
        return b',"time":"%s"}\n' % datetime.fromtimestamp(seconds, UTC).isoformat().encode()


# Both are the same for most lines, and most of each line.
@lru_cache(maxsize=1024)
def _head(service: str, operation: str, outcome: str) -> bytes:
    head = {
        "level": "INFO",
        "service": service,
        "operation": operation,
        "outcome": outcome,
        "requests": 1,
    }
    return msgspec.json.encode(head)[:-1] + b","


@lru_cache(maxsize=1024)
def _directives(namespace: str, measured: tuple[str, ...]) -> bytes:
    """Return what CloudWatch is to make of a line, up to the number of its time stamp."""
    of_each = _directive(namespace, [SERVICE, OPERATION], OF_EACH)
    of_service = _directive(namespace, [SERVICE], ("failures", *measured))
    metrics = msgspec.json.encode([of_each, of_service])
    return b',"_aws":{"CloudWatchMetrics":%s,"Timestamp":' % metrics


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
    """Return the id of a trace that is recorded; empty if none is."""
    if not header or "Sampled=1" not in header:
        return ""
    parts = dict(part.partition("=")[::2] for part in header.split(";"))
    return parts.get("Root", "")
