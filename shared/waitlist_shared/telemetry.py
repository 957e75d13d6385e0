"""One line of JSON for each unit of work: its log, and its metrics.

Where a namespace is given, the line is a record of CloudWatch's embedded metric format, so that
metrics cost no call and no line of their own; it is then written at every log level. Metrics are
of the whole service, and of each operation and outcome; never of a waitlist or a person.

CloudWatch bills each metric, so a stack can choose the few that its alarms read. The lines stay the
same.
"""

import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import msgspec

# Measured for each span: for the service, and for operation and outcome.
OF_EACH = ("requests", "latency_ms")
SERVICE = ("service",)
OPERATION = ("service", "operation", "outcome")
UNITS = {"ms": "Milliseconds", "seconds": "Seconds"}
LEVELS_WITH_LINES = ("DEBUG", "INFO")
# The variable that names the metrics of a function, separated by commas; all without it.
CHOSEN = "METRICS"
# The variable in which Lambda names the trace of an invocation.
TRACE = "_X_AMZN_TRACE_ID"
SAMPLED = re.compile(r"Root=([0-9a-f-]+);.*Sampled=1")
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A finished unit of work; `measured` has more metrics of the service, by name.

    A name that ends in `_ms` or `_seconds` has that unit, any other is a count. `about` goes into
    the log only, as do the `ids`.
    """

    operation: str
    outcome: str
    correlation_id: str
    latency_ms: float
    has_failed: bool = False
    measured: Mapping[str, float] = NOTHING
    about: Mapping[str, float] = NOTHING
    ids: Mapping[str, str] = NOTHING


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
        self._is_on = bool(namespace) or log_level.upper() in LEVELS_WITH_LINES
        self._environ = environ
        self._chosen = frozenset(filter(None, environ.get(CHOSEN, "").split(",")))
        self._now_seconds = now_seconds
        self._is_cold_start = True

    def write(self, span: Span) -> None:
        """Write the line of a span."""
        is_cold_start, self._is_cold_start = self._is_cold_start, False
        if not self._is_on:
            return
        numbers = {
            "requests": 1,
            "latency_ms": span.latency_ms,
            "failures": span.has_failed,
            **span.measured,
            **span.about,
        }
        line: dict[str, Any] = {
            "level": "INFO",
            "service": self._service,
            "operation": span.operation,
            "outcome": span.outcome,
            **span.ids,
            **{name: _rounded(name, number) for name, number in numbers.items()},
            "correlation_id": span.correlation_id,
            "cold_start": is_cold_start,
        }
        if sampled := SAMPLED.match(self._environ.get(TRACE, "")):
            line["trace_id"] = sampled[1]
        seconds = self._now_seconds()
        if directives := self._directives(span):
            line["_aws"] = {"Timestamp": int(seconds * 1000), "CloudWatchMetrics": directives}
        else:
            line["time"] = _text_of(seconds)
        _write(line)

    def audit(self, asked: Mapping[str, str], correlation_id: str) -> None:
        """Write a line of the audit log, at every log level; it is no metric."""
        line = {
            "level": "INFO",
            "service": "audit",
            **asked,
            "correlation_id": correlation_id,
            "time": _text_of(self._now_seconds()),
        }
        _write(line)

    def _directives(self, span: Span) -> list[dict[str, Any]]:
        """Return which numbers of a span's line are metrics, and of what."""
        if not self._namespace:
            return []
        of_service = ("failures", *span.measured)
        if self._chosen:
            chosen = [name for name in of_service if name in self._chosen]
            return [self._directive([SERVICE], chosen)] if chosen else []
        return [
            self._directive([SERVICE, OPERATION], OF_EACH),
            self._directive([SERVICE], of_service),
        ]

    def _directive(self, dimensions: list[tuple[str, ...]], names: Iterable[str]) -> dict[str, Any]:
        return {
            "Namespace": self._namespace,
            "Dimensions": dimensions,
            "Metrics": [{"Name": name, "Unit": unit_of(name)} for name in names],
        }


def _write(line: Mapping[str, Any]) -> None:
    """Write a line at once: Lambda freezes the process after the answer."""
    sys.stdout.write(f"{msgspec.json.encode(line).decode()}\n")
    sys.stdout.flush()


def _rounded(name: str, number: float) -> float:
    return round(number, 3) if name.endswith("_ms") else int(number)


def _text_of(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def unit_of(name: str) -> str:
    """Return CloudWatch's unit of a metric, from the end of its name."""
    return UNITS.get(name.rpartition("_")[2], "Count")
