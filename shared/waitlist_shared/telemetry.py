"""One line of JSON for each unit of work: its log, and its metrics.

Where a namespace is given, the line is a record of CloudWatch's embedded metric format, so that
metrics cost no call and no line of their own; it is then written at every log level. Metrics are
of the whole service, and of each operation and outcome; never of a waitlist or a person.
"""

import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import msgspec

# What is measured of every span, of the service and of operation and outcome.
OF_EACH = ("requests", "latency_ms")
SERVICE = ("service",)
OPERATION = ("service", "operation", "outcome")
UNITS = {"ms": "Milliseconds", "seconds": "Seconds"}
LEVELS_WITH_LINES = ("DEBUG", "INFO")
# The variable in which Lambda names the trace of an invocation.
TRACE = "_X_AMZN_TRACE_ID"
SAMPLED = re.compile(r"Root=([0-9a-f-]+);.*Sampled=1")
UNSEEN = object()
# What comes before the time of a line.
EMF_TIME, LOG_TIME = ',"_aws":{"Timestamp":', ',"time":"'
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """A finished unit of work; `measured` has more metrics of the service, by name.

    A name that ends in `_ms` or `_seconds` has that unit, any other is a count. `about` goes into
    the log only. The correlation id must not need escapes in JSON.
    """

    operation: str
    outcome: str
    correlation_id: str
    latency_ms: float
    has_failed: bool = False
    measured: Mapping[str, float] = NOTHING
    about: Mapping[str, float] = NOTHING


# What lines are alike in: a head, a short text with places for the numbers, and a tail.
LineTemplate = tuple[str, str, str]


class Stdout:
    """Writes each text whole and at once, past stdout's buffers: they cost as much as a line."""

    def __init__(self) -> None:
        self._stream: object = None
        self._file: int | None = None

    def write(self, text: str) -> None:
        if sys.stdout is not self._stream:
            self._look()
        if self._file is None:
            sys.stdout.write(text)
            return
        rest = text.encode()
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def _look(self) -> None:
        """Find the file of the current stdout; a stream without one is written as it is."""
        stream = sys.stdout
        stream.flush()
        try:
            self._file = stream.fileno()
        except OSError:
            self._file = None
        self._stream = stream


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
        self._now_seconds = now_seconds
        self._write = Stdout().write
        self._is_first = True
        self._header: object = UNSEEN
        self._process = ""

    def write(self, span: Span) -> None:
        """Write the line of a span."""
        template = self.template_of(
            span.operation, span.outcome, measured=tuple(span.measured), about=tuple(span.about)
        )
        numbers = (*span.measured.values(), *span.about.values())
        self.write_line(template, span.correlation_id, span.latency_ms, span.has_failed, *numbers)

    def audit(self, asked: Mapping[str, str], correlation_id: str) -> None:
        """Write a line of the audit log, at every log level; it is no metric."""
        line = {
            "level": "INFO",
            "service": "audit",
            **asked,
            "correlation_id": correlation_id,
            "time": _text_of(self._now_seconds()),
        }
        self._write(f"{_json(line)}\n")

    def template_of(
        self,
        operation: str,
        outcome: str,
        *,
        measured: tuple[str, ...] = (),
        about: tuple[str, ...] = (),
        always: tuple[tuple[str, int], ...] = (),
    ) -> LineTemplate:
        """Return a template, for callers that write many lines; `always` has fixed numbers."""
        named = (operation, outcome, measured, about, always)
        return _template(self._service, self._namespace, *named)

    def write_line(self, template: LineTemplate, correlation_id: str, *numbers: float) -> None:
        """Write a line: `latency_ms`, `failures`, what is measured and what it is about.

        Those numbers that are always the same are left out.
        """
        header = self._environ.get(TRACE)
        process = self._process if header == self._header else self._look(header)
        if not self._is_on:
            return
        seconds = self._now_seconds()
        now = int(seconds * 1000) if self._namespace else _text_of(seconds)
        head, places, tail = template
        ids = f'"correlation_id":"{correlation_id}","cold_start":{process}'
        # One write, so that threads and processes do not tear each other's lines.
        self._write(f"{head}{places % numbers},{ids}{now}{tail}")

    def _look(self, header: str | None) -> str:
        """Return the part of a line about the process and the trace, which rarely changes."""
        cold_start, self._is_first = self._is_first, False
        trace, when = _sampled(header), EMF_TIME if self._namespace else LOG_TIME
        if cold_start:
            return f"true{trace}{when}"
        # In this order: a thread that finds the header must find the text that goes with it.
        self._process = f"false{trace}{when}"
        self._header = header
        return self._process


def _text_of(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


# Building the whole line each time would cost the private function a tenth of its time.
@lru_cache(maxsize=1024)
def _template(
    service: str,
    namespace: str,
    operation: str,
    outcome: str,
    measured: tuple[str, ...],
    about: tuple[str, ...],
    always: tuple[tuple[str, int], ...],
) -> LineTemplate:
    head = {"level": "INFO", "service": service, "operation": operation, "outcome": outcome}
    known = dict(always)
    names = ("latency_ms", "failures", *measured, *about)
    numbers = ",".join(f'"{name}":{known.get(name, _place_of(name))}' for name in names)
    tail = '"}\n'
    if namespace:
        of_each = _directive(namespace, [SERVICE, OPERATION], OF_EACH)
        of_service = _directive(namespace, [SERVICE], ("failures", *measured))
        tail = f',"CloudWatchMetrics":{_json([of_each, of_service])}}}}}\n'
    return f'{_json(head)[:-1]},"requests":1,', numbers, tail


def _place_of(name: str) -> str:
    return "%.3f" if name.endswith("_ms") else "%d"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _directive(
    namespace: str, dimensions: list[tuple[str, ...]], names: tuple[str, ...]
) -> dict[str, Any]:
    return {
        "Namespace": namespace,
        "Dimensions": dimensions,
        "Metrics": [{"Name": name, "Unit": unit_of(name)} for name in names],
    }


def unit_of(name: str) -> str:
    """Return CloudWatch's unit of a metric, from the end of its name."""
    return UNITS.get(name.rpartition("_")[2], "Count")


def _sampled(header: str | None) -> str:
    """Return the part of a line about a sampled trace, or an empty text."""
    found = SAMPLED.match(header) if header else None
    return f',"trace_id":"{found[1]}"' if found else ""
