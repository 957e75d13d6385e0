"""Tells of each message in one line: what was asked, what came of it, how long Redis took."""

import time
from collections.abc import Callable, Mapping

from waitlist_queue.service import BY_OP, Message, QueueService
from waitlist_shared.correlation import Correlation, given
from waitlist_shared.errors import Cold, InternalError, QueueUnavailable
from waitlist_shared.telemetry import Telemetry, Work

UNKNOWN = "unknown"
# What is nobody's doing who asked.
FAILURES = frozenset({InternalError.code, QueueUnavailable.code})


class Telling:
    """A service, with a line for each message that it answers."""

    def __init__(
        self,
        service: QueueService,
        telemetry: Telemetry,
        correlation: Correlation,
        redis_seconds: Callable[[], float],
        seconds: Callable[[], float] = time.perf_counter,
    ) -> None:
        """`redis_seconds` counts up while Redis is waited for."""
        self._service = service
        self._telemetry = telemetry
        self._correlation = correlation
        self._redis_seconds = redis_seconds
        self._seconds = seconds

    def handle(self, message: object) -> Message:
        """Answer one message."""
        answer: Message = {"code": InternalError.code}
        correlation_id = given(message)
        self._correlation.begin(correlation_id)
        began, redis_began = self._seconds(), self._redis_seconds()
        try:
            answer = self._service.handle(message)
        finally:
            seconds, redis_seconds = self._seconds() - began, self._redis_seconds() - redis_began
            self._correlation.end()
            work = _work(message, answer, correlation_id, seconds * 1000, redis_seconds * 1000)
            self._telemetry.tell(work)
        return answer


def _work(
    message: object, answer: Message, correlation_id: str, ms: float, redis_ms: float
) -> Work:
    outcome = str(answer.get("outcome") or answer["code"])
    about = {"redis_ms": redis_ms}
    cold_answers = int(outcome == Cold.code)
    if results := answer.get("results"):
        about["results"] = len(results)
        about["refused"] = sum(not one["ok"] for one in results)
        cold_answers = sum(one.get("code") == Cold.code for one in results)
    return Work(
        operation=_operation_of(message),
        outcome=outcome,
        correlation_id=correlation_id,
        latency_ms=ms,
        has_failed=outcome in FAILURES,
        measured={"cold_answers": cold_answers},
        about=about,
    )


def _operation_of(message: object) -> str:
    operation = message.get("op") if isinstance(message, Mapping) else None
    return operation if isinstance(operation, str) and operation in BY_OP else UNKNOWN
