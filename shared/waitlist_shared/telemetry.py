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
UNSEEN = object()
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


# What lines are alike in: a head, a text with places for what differs, short for that, and a tail.
Form = tuple[str, str, str]


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
        self._header: object = UNSEEN
        self._process = ""

    def tell(self, work: Work) -> None:
        """Write the line of a piece of work."""
        form = self.form_of(
            work.operation, work.outcome, measured=tuple(work.measured), about=tuple(work.about)
        )
        numbers = (*work.measured.values(), *work.about.values())
        self.fill(form, work.correlation_id, work.latency_ms, work.has_failed, *numbers)

    def form_of(
        self,
        operation: str,
        outcome: str,
        *,
        measured: tuple[str, ...] = (),
        about: tuple[str, ...] = (),
        always: tuple[tuple[str, int], ...] = (),
    ) -> Form:
        """Return the form of such lines, for who writes many; `always` are numbers by name."""
        named = (operation, outcome, measured, about, always)
        return _form(self._service, self._namespace, *named)

    def fill(self, form: Form, correlation_id: str, *numbers: float) -> None:
        """Write a line: `latency_ms`, `failures`, what is measured and what it is about.

        Those numbers that are always the same are left out.
        """
        header = self._environ.get(TRACE)
        process = self._process if header == self._header else self._look(header)
        if not self._is_told:
            return
        seconds = self._now_seconds()
        now = int(seconds * 1000) if self._namespace else _text_of(seconds)
        head, places, tail = form
        filled = places % (*numbers, correlation_id, process, now)
        # One write, so that threads and processes do not tear each other's lines.
        sys.stdout.write(f"{head}{filled}{tail}")

    def _look(self, header: str | None) -> str:
        """Return what lines say of the process and the trace: another only rarely."""
        cold_start, self._is_first = self._is_first, False
        if cold_start:
            return "true" + _sampled(header)
        # In this order: who finds the header finds what goes with it.
        self._process = "false" + _sampled(header)
        self._header = header
        return self._process


def _text_of(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


# To make the whole line anew would cost the private function a tenth of its time.
@lru_cache(maxsize=1024)
def _form(
    service: str,
    namespace: str,
    operation: str,
    outcome: str,
    measured: tuple[str, ...],
    about: tuple[str, ...],
    always: tuple[tuple[str, int], ...],
) -> Form:
    head = {"level": "INFO", "service": service, "operation": operation, "outcome": outcome}
    known = dict(always)
    names = ("latency_ms", "failures", *measured, *about)
    numbers = ",".join(f'"{name}":{known.get(name, _place_of(name))}' for name in names)
    ids = '"correlation_id":"%s","cold_start":%s'
    when, tail = ',"time":"%s"', "}\n"
    if namespace:
        of_each = _directive(namespace, [SERVICE, OPERATION], OF_EACH)
        of_service = _directive(namespace, [SERVICE], ("failures", *measured))
        when = ',"_aws":{"Timestamp":%d'
        tail = f',"CloudWatchMetrics":{_json([of_each, of_service])}}}}}\n'
    return f'{_json(head)[:-1]},"requests":1,', f"{numbers},{ids}{when}", tail


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
    """Return CloudWatch's unit of a metric, which the end of its name tells."""
    return UNITS.get(name.rpartition("_")[2], "Count")


def _sampled(header: str | None) -> str:
    """Return what a line says of the trace that is recorded; nothing if none is."""
    found = SAMPLED.match(header) if header else None
    return f',"trace_id":"{found[1]}"' if found else ""
