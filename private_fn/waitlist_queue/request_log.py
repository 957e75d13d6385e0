"""Request log: one line for each message, with operation, outcome and Redis' time."""

import time
from collections.abc import Callable
from typing import Protocol

from waitlist_queue.results import Message
from waitlist_queue.service import QueueService
from waitlist_shared.contracts import REQUESTS
from waitlist_shared.correlation import Correlation, given
from waitlist_shared.errors import Cold, InternalError, QueueUnavailable
from waitlist_shared.telemetry import LineTemplate, Telemetry

UNKNOWN = "unknown"
# Outcomes that count as failures: the caller did not cause them.
FAILURES = frozenset({InternalError.code, QueueUnavailable.code})
MEASURED = ("cold_answers",)
ABOUT = ("redis_ms",)
ABOUT_BATCH = ("redis_ms", "results", "refused")
BROKEN: Message = {"code": InternalError.code}


class Waiting(Protocol):
    """Counts the seconds spent waiting for Redis."""

    waited_seconds: float


class RequestLog:
    """A service that writes a line for each message that it answers."""

    def __init__(
        self,
        service: QueueService,
        telemetry: Telemetry,
        correlation: Correlation,
        redis: Waiting,
        seconds: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._service = service
        self._telemetry = telemetry
        self._correlation = correlation
        self._redis = redis
        self._seconds = seconds
        self._templates: dict[tuple[str, str], LineTemplate] = {}

    def handle(self, message: object) -> Message:
        """Answer one message."""
        answer = BROKEN
        self._correlation.id = correlation_id = given(message)
        began, redis_began = self._seconds(), self._redis.waited_seconds
        try:
            answer = self._service.handle(message)
        finally:
            ms = (self._seconds() - began) * 1000
            redis_ms = (self._redis.waited_seconds - redis_began) * 1000
            self._correlation.id = ""
            if results := answer.get("results"):
                self._log_batch(results, correlation_id, ms, redis_ms)
            else:
                template = self._template_of(message, answer)
                self._telemetry.write_line(template, correlation_id, ms, redis_ms)
        return answer

    def _log_batch(
        self, results: list[Message], correlation_id: str, ms: float, redis_ms: float
    ) -> None:
        refused = [one for one in results if not one["ok"]]
        cold = sum(one["code"] == Cold.code for one in refused)
        template = self._telemetry.template_of(
            "batch", "batch", measured=MEASURED, about=ABOUT_BATCH
        )
        numbers = (False, cold, redis_ms, len(results), len(refused))
        self._telemetry.write_line(template, correlation_id, ms, *numbers)

    def _template_of(self, message: object, answer: Message) -> LineTemplate:
        """Return the line template of an operation and outcome; it is made once."""
        outcome = answer.get("outcome") or answer["code"]
        try:
            return self._templates[message["op"], outcome]  # type: ignore[index]
        except (LookupError, TypeError):  # not seen before, or no message at all
            pass
        operation = _operation_of(message)
        always = (
            ("failures", int(outcome in FAILURES)),
            ("cold_answers", int(outcome == Cold.code)),
        )
        template = self._telemetry.template_of(
            operation, outcome, measured=MEASURED, about=ABOUT, always=always
        )
        self._templates[operation, outcome] = template
        return template


def _operation_of(message: object) -> str:
    operation = message.get("op") if isinstance(message, dict) else None
    return operation if isinstance(operation, str) and operation in REQUESTS else UNKNOWN
