"""Tests of the telemetry that the service writes to the log. If the stack has a metrics namespace,
the log lines also contain metrics.
"""

import json
import os
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.service.telemetry.captured_logs import metrics_of
from waitlist_shared.telemetry import Span, Telemetry, unit_of

NOW = 1_790_000_000.5
SPAN = Span(
    operation="signup",
    outcome="joined",
    correlation_id="an-id",
    latency_ms=1.23456,
    measured={"cold_answers": 2},
    about={"redis_ms": 0.5},
)


def telemetry(**changes: Any) -> Telemetry:
    settings = {"namespace": "Waitlist/test", "log_level": "INFO", "environ": {}, **changes}
    return Telemetry("private", now_seconds=lambda: NOW, **settings)


def write_and_read_line(
    capsys: pytest.CaptureFixture[str], one: Telemetry, span: Span = SPAN
) -> Any:
    one.write(span)
    text = capsys.readouterr().out
    assert text.endswith("\n")
    assert text.count("\n") == 1
    return json.loads(text)


def test_a_line_is_a_log_entry_and_a_record_of_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    line = write_and_read_line(capsys, telemetry())
    metrics = line.pop("_aws")
    assert line == {
        "level": "INFO",
        "service": "private",
        "operation": "signup",
        "outcome": "joined",
        "requests": 1,
        "latency_ms": 1.235,
        "failures": 0,
        "correlation_id": "an-id",
        "cold_start": True,
        "redis_ms": 0.5,
        "cold_answers": 2,
    }
    assert metrics["Timestamp"] == 1_790_000_000_500
    found = metrics_of({**line, "_aws": metrics})
    service = frozenset({("service", "private")})
    of_each = service | {("operation", "signup"), ("outcome", "joined")}
    assert found == {
        ("Waitlist/test", "requests", service),
        ("Waitlist/test", "latency_ms", service),
        ("Waitlist/test", "failures", service),
        ("Waitlist/test", "cold_answers", service),
        ("Waitlist/test", "requests", of_each),
        ("Waitlist/test", "latency_ms", of_each),
    }


def test_a_stack_can_choose_the_metrics_that_it_pays_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The stack publishes only the metrics that its settings name. They have no dimensions for the
    operation and the outcome, because AWS charges for each combination of dimensions.
    """
    chosen = telemetry(environ={"METRICS": "cold_answers,late_seconds"}, log_level="ERROR")
    line = write_and_read_line(capsys, chosen)
    assert (line["requests"], line["redis_ms"]) == (1, 0.5)
    service = frozenset({("service", "private")})
    assert metrics_of(line) == {("Waitlist/test", "cold_answers", service)}


def test_a_line_is_written_even_if_no_metric_is_chosen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = write_and_read_line(capsys, telemetry(environ={"METRICS": "none"}, log_level="ERROR"))
    assert "_aws" not in line
    assert line["time"]


def test_only_the_first_line_of_a_process_reports_a_cold_start(
    capsys: pytest.CaptureFixture[str],
) -> None:
    one = telemetry()
    assert [write_and_read_line(capsys, one)["cold_start"] for _ in range(3)] == [
        True,
        False,
        False,
    ]


def test_a_line_is_written_at_once_after_earlier_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    with open(reading, "rb", buffering=0) as outside, open(writing, "w") as buffered:
        monkeypatch.setattr("sys.stdout", buffered)
        one = telemetry()
        print("before")
        for _ in range(2):
            one.write(SPAN)
        lines = outside.read(65536).decode().splitlines()
    assert lines[0] == "before"
    assert [json.loads(line)["operation"] for line in lines[1:]] == ["signup", "signup"]


def test_lines_follow_a_redirected_stdout(tmp_path: Path) -> None:
    one = telemetry()
    for name in ("first", "second"):
        with (tmp_path / name).open("w") as file, redirect_stdout(file):
            one.write(SPAN)
    text = StringIO()
    with redirect_stdout(text):
        one.write(SPAN)
    for written in ((tmp_path / "first").read_text(), (tmp_path / "second").read_text()):
        assert written.count("\n") == 1
    assert text.getvalue().count("\n") == 1


@pytest.mark.parametrize("level", ["WARNING", "ERROR", "CRITICAL"])
def test_metrics_are_written_at_every_log_level(
    capsys: pytest.CaptureFixture[str], level: str
) -> None:
    assert "_aws" in write_and_read_line(capsys, telemetry(log_level=level))


@pytest.mark.parametrize(("level", "lines"), [("INFO", 1), ("DEBUG", 1), ("WARNING", 0)])
def test_without_a_namespace_a_line_has_no_metrics(
    capsys: pytest.CaptureFixture[str], level: str, lines: int
) -> None:
    telemetry(log_level=level, namespace="").write(SPAN)
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(written) == lines
    for line in written:
        assert "_aws" not in line
        assert line["time"] == "2026-09-21T14:13:20.500+00:00"


@pytest.mark.parametrize(
    ("header", "trace_id"),
    [
        ("Root=1-5759e988-bd862e3fe1be46a9;Parent=53995c3f42cd8ad8;Sampled=1", "1-5759e988-"),
        ("Root=1-5759e988-bd862e3fe1be46a9;Parent=53995c3f42cd8ad8;Sampled=0", None),
        (None, None),
    ],
)
def test_a_line_names_its_trace_if_the_trace_is_recorded(
    capsys: pytest.CaptureFixture[str], header: str | None, trace_id: str | None
) -> None:
    environ = {"_X_AMZN_TRACE_ID": header} if header else {}
    found = write_and_read_line(capsys, telemetry(environ=environ)).get("trace_id")
    assert found is None if trace_id is None else found.startswith(trace_id)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("latency_ms", "Milliseconds"),
        ("oldest_waiting_seconds", "Seconds"),
        ("waiting", "Count"),
        ("intents_stuck", "Count"),
    ],
)
def test_the_unit_of_a_metric_follows_from_the_end_of_its_name(name: str, unit: str) -> None:
    assert unit_of(name) == unit
