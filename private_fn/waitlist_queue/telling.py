"""Tells of each message in one line: what was asked, what came of it, how long Redis took."""

import time
from collections.abc import Callable
from typing import Protocol

from waitlist_queue.service import Message, QueueService
from waitlist_shared.contracts import REQUESTS
from waitlist_shared.correlation import Correlation, given
from waitlist_shared.errors import Cold, InternalError, QueueUnavailable
from waitlist_shared.telemetry import Form, Telemetry

UNKNOWN = "unknown"
# What is nobody's doing who asked.
FAILURES = frozenset({InternalError.code, QueueUnavailable.code})
MEASURED = ("cold_answers",)
ABOUT = ("redis_ms",)
ABOUT_BATCH = ("redis_ms", "results", "refused")
BROKEN: Message = {"code": InternalError.code}


class Waiting(Protocol):
    """What counts up while Redis is waited for."""

    waited_seconds: float


class Telling:
    """A service, with a line for each message that it answers."""

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
        self._forms: dict[tuple[str, str], Form] = {}

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
                self._tell_batch(results, correlation_id, ms, redis_ms)
            else:
                form = self._form_of(message, answer)
                self._telemetry.fill(form, correlation_id, ms, redis_ms)
        return answer

    def _tell_batch(
        self, results: list[Message], correlation_id: str, ms: float, redis_ms: float
    ) -> None:
        refused = [one for one in results if not one["ok"]]
        cold = sum(one["code"] == Cold.code for one in refused)
        form = self._telemetry.form_of("batch", "batch", measured=MEASURED, about=ABOUT_BATCH)
        numbers = (False, cold, redis_ms, len(results), len(refused))
        self._telemetry.fill(form, correlation_id, ms, *numbers)

    def _form_of(self, message: object, answer: Message) -> Form:
        """Return the form of all messages that were asked and answered so, and keep it."""
        outcome = answer.get("outcome") or answer["code"]
        try:
            return self._forms[message["op"], outcome]  # type: ignore[index]
        except (LookupError, TypeError):  # not seen before, or no message at all
            pass
        operation = _operation_of(message)
        always = (
            ("failures", int(outcome in FAILURES)),
            ("cold_answers", int(outcome == Cold.code)),
        )
        form = self._telemetry.form_of(
            operation, outcome, measured=MEASURED, about=ABOUT, always=always
        )
        self._forms[operation, outcome] = form
        return form


def _operation_of(message: object) -> str:
    operation = message.get("op") if isinstance(message, dict) else None
    return operation if isinstance(operation, str) and operation in REQUESTS else UNKNOWN
