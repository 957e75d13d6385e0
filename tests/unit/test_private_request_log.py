"""The private function logs a line for each message.

To save time, it reuses the parts that do not change.
"""

import json
from typing import Any

import pytest

from waitlist_queue.request_log import RequestLog
from waitlist_queue.results import Message
from waitlist_shared.correlation import Correlation
from waitlist_shared.telemetry import Telemetry

JOINED = {"ok": True, "outcome": "joined"}
COLD = {"ok": False, "code": "cold", "message": "…"}
DOWN = {"ok": False, "code": "queue_unavailable", "message": "…"}
REFUSED = {"ok": False, "code": "invalid_request", "message": "…"}
ID = "0193b3a0-5a5a-7000-8000-0123456789ab"


class Answering:
    """A fake service that answers as each message tells it to."""

    waited_seconds = 0.0

    def handle(self, message: Any) -> Message:
        self.waited_seconds += 0.002
        answer: Message = message["answer"] if isinstance(message, dict) else REFUSED
        return answer


@pytest.fixture
def request_log() -> RequestLog:
    service, seconds = Answering(), iter(range(1000))
    telemetry = Telemetry("private", namespace="Waitlist/x", log_level="INFO", environ={})
    return RequestLog(
        service,  # type: ignore[arg-type]
        telemetry,
        Correlation(),
        service,
        lambda: next(seconds) / 250,
    )


def handle_and_read_log(
    capsys: pytest.CaptureFixture[str], request_log: RequestLog, *messages: object
) -> list[Any]:
    for message in messages:
        request_log.handle(message)
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def make_message(operation: object, answer: Message, correlation_id: object = ID) -> Message:
    return {"op": operation, "answer": answer, "correlation_id": correlation_id}


def test_lines_with_the_same_outcome_differ_only_in_numbers_and_ids(
    capsys: pytest.CaptureFixture[str], request_log: RequestLog
) -> None:
    other = ID.replace("a", "b")
    messages = [make_message("signup", JOINED, one) for one in (ID, other, ID)]
    _, second, third = handle_and_read_log(capsys, request_log, *messages)
    assert second.pop("correlation_id") == other
    assert third.pop("correlation_id") == ID
    for line in (second, third):
        assert line.pop("_aws")["CloudWatchMetrics"]
        assert line == {
            "level": "INFO",
            "service": "private",
            "operation": "signup",
            "outcome": "joined",
            "requests": 1,
            "latency_ms": 4.0,
            "failures": 0,
            "cold_answers": 0,
            "redis_ms": 2.0,
            "cold_start": False,
        }


def test_each_outcome_is_counted_correctly_in_any_order(
    capsys: pytest.CaptureFixture[str], request_log: RequestLog
) -> None:
    answers = [JOINED, COLD, DOWN, REFUSED] * 2
    lines = handle_and_read_log(
        capsys, request_log, *[make_message("signup", answer) for answer in answers]
    )
    assert [(line["failures"], line["cold_answers"]) for line in lines] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (0, 0),
    ] * 2


def test_a_batch_that_fails_as_a_whole_has_no_results(
    capsys: pytest.CaptureFixture[str], request_log: RequestLog
) -> None:
    whole = {"ok": True, "outcome": "batch", "results": [JOINED, COLD, REFUSED]}
    empty = {"ok": True, "outcome": "batch", "results": []}
    lines = handle_and_read_log(
        capsys, request_log, *[make_message("batch", one) for one in (empty, whole, DOWN, whole)]
    )
    numbers = [
        [line.get(name) for name in ("results", "refused", "cold_answers", "failures")]
        for line in lines
    ]
    assert numbers == [[None, None, 0, 0], [3, 2, 1, 0], [None, None, 0, 1], [3, 2, 1, 0]]


@pytest.mark.parametrize("operation", ["ada", ["ada"], {"ada": 1}, None, 7])
def test_an_unknown_operation_is_not_logged_by_name(
    capsys: pytest.CaptureFixture[str], request_log: RequestLog, operation: object
) -> None:
    """P8"""
    lines = handle_and_read_log(
        capsys, request_log, *[make_message(operation, REFUSED)] * 3, "ada", ["ada"], None
    )
    assert {line["operation"] for line in lines} == {"unknown"}
    assert len(lines) == 6


@pytest.mark.parametrize("id_", ['"}', "a\nb", "ö", "a" * 65, 7, ["a"], None])
def test_an_id_that_could_break_the_line_is_not_logged(
    capsys: pytest.CaptureFixture[str], request_log: RequestLog, id_: object
) -> None:
    lines = handle_and_read_log(capsys, request_log, *[make_message("signup", JOINED, id_)] * 2)
    assert [line["correlation_id"] for line in lines] == ["", ""]
