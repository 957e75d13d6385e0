"""Writes a log line for each message.

The line contains the operation, the outcome and the time spent waiting for Redis.
"""

import time
from collections.abc import Callable
from typing import Protocol

from waitlist_queue.results import Message
from waitlist_queue.service import QueueService
from waitlist_shared.contracts import REQUESTS
from waitlist_shared.correlation import Correlation, read_correlation_id
from waitlist_shared.errors import Cold, InternalError, QueueUnavailable
from waitlist_shared.telemetry import Span, Telemetry

UNKNOWN = "unknown"
# If a message has one of these outcomes, the service itself has failed.
FAILURES = frozenset({InternalError.code, QueueUnavailable.code})
DEFECT: Message = {"code": InternalError.code}


class WaitCounter(Protocol):
    """Adds up the seconds spent waiting for Redis."""

    waited_seconds: float


class RequestLog:
    """Passes each message to the service, and writes a log line for it."""

    def __init__(
        self,
        service: QueueService,
        telemetry: Telemetry,
        correlation: Correlation,
        redis: WaitCounter,
        seconds: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._service = service
        self._telemetry = telemetry
        self._correlation = correlation
        self._redis = redis
        self._seconds = seconds

    def handle(self, message: object) -> Message:
        """Pass a message to the service, write a log line, and return the answer."""
        answer = DEFECT
        self._correlation.id = correlation_id = read_correlation_id(message)
        began, redis_began = self._seconds(), self._redis.waited_seconds
        try:
            answer = self._service.handle(message)
        finally:
            ms = (self._seconds() - began) * 1000
            redis_ms = (self._redis.waited_seconds - redis_began) * 1000
            self._correlation.id = ""
            self._telemetry.write(_span_of(message, answer, correlation_id, ms, redis_ms))
        return answer


def _span_of(
    message: object, answer: Message, correlation_id: str, ms: float, redis_ms: float
) -> Span:
    results: list[Message] = answer.get("results") or []
    refused = [result for result in results if not result["ok"]]
    outcome = answer.get("outcome") or answer["code"]
    cold = sum(failure.get("code") == Cold.code for failure in (answer, *refused))
    of_batch = {"results": len(results), "refused": len(refused)} if results else {}
    return Span(
        operation=_operation_of(message),
        outcome=outcome,
        correlation_id=correlation_id,
        latency_ms=ms,
        has_failed=outcome in FAILURES,
        measured={"cold_answers": cold},
        about={"redis_ms": redis_ms, **of_batch},
    )


def _operation_of(message: object) -> str:
    operation = message.get("op") if isinstance(message, dict) else None
    return operation if isinstance(operation, str) and operation in REQUESTS else UNKNOWN
