"""Writes one JSON log line for each unit of work.

If a namespace is configured, the line is in CloudWatch's embedded metric format, and CloudWatch
reads the metrics from the log. The metrics describe the service as a whole, so no metric is about a
single waitlist or person.
"""

import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import msgspec

# The metrics of every unit of work, which are published for the whole service and for each
# combination of operation and outcome.
SPAN_METRICS = ("requests", "latency_ms")
SERVICE = ("service",)
OPERATION = ("service", "operation", "outcome")
UNITS = {"ms": "Milliseconds", "seconds": "Seconds"}
LEVELS_WITH_LINES = ("DEBUG", "INFO")
# The environment variable that lists the metrics to publish. If it is not set, all metrics are
# published.
METRICS_VARIABLE = "METRICS"
# The environment variable in which Lambda passes the X-Ray trace header.
TRACE_VARIABLE = "_X_AMZN_TRACE_ID"
SAMPLED = re.compile(r"Root=([0-9a-f-]+);.*Sampled=1")
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A finished unit of work."""

    operation: str
    outcome: str
    correlation_id: str
    latency_ms: float
    has_failed: bool = False
    # Additional metrics and their values. The names of durations end in `_ms` or `_seconds`.
    measured: Mapping[str, float] = NOTHING
    # Additional numbers and ids that are written to the log but do not become metrics.
    about: Mapping[str, float] = NOTHING
    ids: Mapping[str, str] = NOTHING


class Telemetry:
    """Writes the log lines and metrics of one service."""

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
        self._chosen_names = frozenset(filter(None, environ.get(METRICS_VARIABLE, "").split(",")))
        self._now_seconds = now_seconds
        self._is_cold_start = True

    def write(self, span: Span) -> None:
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
        if sampled := SAMPLED.match(self._environ.get(TRACE_VARIABLE, "")):
            line["trace_id"] = sampled[1]
        seconds = self._now_seconds()
        if directives := self._directives(span):
            line["_aws"] = {"Timestamp": int(seconds * 1000), "CloudWatchMetrics": directives}
        else:
            line["time"] = _format_time(seconds)
        _write(line)

    def audit(self, fields: Mapping[str, str], correlation_id: str) -> None:
        """Write a line to the audit log. Audit lines are written at every log level."""
        line = {
            "level": "INFO",
            "service": "audit",
            **fields,
            "correlation_id": correlation_id,
            "time": _format_time(self._now_seconds()),
        }
        _write(line)

    def _directives(self, span: Span) -> list[dict[str, Any]]:
        """Return the CloudWatch directives that say which fields of the log line are metrics."""
        if not self._namespace:
            return []
        of_service = ("failures", *span.measured)
        if self._chosen_names:
            chosen = [name for name in of_service if name in self._chosen_names]
            return [self._directive([SERVICE], chosen)] if chosen else []
        return [
            self._directive([SERVICE, OPERATION], SPAN_METRICS),
            self._directive([SERVICE], of_service),
        ]

    def _directive(self, dimensions: list[tuple[str, ...]], names: Iterable[str]) -> dict[str, Any]:
        return {
            "Namespace": self._namespace,
            "Dimensions": dimensions,
            "Metrics": [{"Name": name, "Unit": unit_of(name)} for name in names],
        }


def _write(line: Mapping[str, Any]) -> None:
    """Write a line, and flush the output at once, because Lambda freezes the process after the
    response.
    """
    sys.stdout.write(f"{msgspec.json.encode(line).decode()}\n")
    sys.stdout.flush()


def _rounded(name: str, number: float) -> float:
    return round(number, 3) if name.endswith("_ms") else int(number)


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def unit_of(name: str) -> str:
    """Return a metric's CloudWatch unit, which depends on the suffix of its name."""
    return UNITS.get(name.rpartition("_")[2], "Count")
