"""Tells of each message in one line: what was asked, what came of it, how long Redis took."""

import time
from collections.abc import Callable

from waitlist_queue.service import BY_OP, Message, QueueService
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
        self._forms: dict[tuple[str, str], Form] = {}

    def handle(self, message: object) -> Message:
        """Answer one message."""
        answer = BROKEN
        correlation_id = given(message)
        self._correlation.begin(correlation_id)
        began, redis_began = self._seconds(), self._redis_seconds()
        try:
            answer = self._service.handle(message)
        finally:
            ms = (self._seconds() - began) * 1000
            redis_ms = (self._redis_seconds() - redis_began) * 1000
            self._correlation.end()
            self._tell(message, answer, correlation_id, ms, redis_ms)
        return answer

    def _tell(
        self, message: object, answer: Message, correlation_id: str, ms: float, redis_ms: float
    ) -> None:
        kind = (_operation_of(message), answer.get("outcome") or answer["code"])
        if results := answer.get("results"):
            refused = [one for one in results if not one["ok"]]
            cold = sum(one["code"] == Cold.code for one in refused)
            form = self._telemetry.form_of(*kind, measured=MEASURED, about=ABOUT_BATCH)
            numbers = (False, cold, redis_ms, len(results), len(refused))
            self._telemetry.fill(form, correlation_id, ms, *numbers)
            return
        form = self._forms.get(kind) or self._form_of(kind)
        self._telemetry.fill(form, correlation_id, ms, redis_ms)

    def _form_of(self, kind: tuple[str, str]) -> Form:
        """Return the form of all messages that were asked and answered so, and keep it."""
        _, outcome = kind
        always = (
            ("failures", int(outcome in FAILURES)),
            ("cold_answers", int(outcome == Cold.code)),
        )
        form = self._telemetry.form_of(*kind, measured=MEASURED, about=ABOUT, always=always)
        return self._forms.setdefault(kind, form)


def _operation_of(message: object) -> str:
    operation = message.get("op") if isinstance(message, dict) else None
    return operation if isinstance(operation, str) and operation in BY_OP else UNKNOWN
