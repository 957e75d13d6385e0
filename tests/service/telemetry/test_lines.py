"""Tests that each request, each message and each maintenance run writes one log line, whether it
succeeds or fails.
"""

from typing import Any

import pytest

from tests.service.privacy.drives import ADMIN, ADMIN_ENTRY, ENTRIES, ENTRY, LIST, SIGNUP, prepare
from tests.service.telemetry.captured_logs import HEADER, CapturedLogs, captured_logs
from tests.support.gateway import Context
from tests.support.world import SECRET
from tools.local.operator import local_operator
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.entries.queries import EntryQueries
from waitlist_api.handlers import maintenance, public
from waitlist_api.maintenance.runner import MaintenanceRunner
from waitlist_queue import app as private_app
from waitlist_queue.service import QueueService

ROUTE = "/v1/waitlists/{waitlist_id}/entries"


def defect(*_: Any, **__: Any) -> Any:
    raise RuntimeError("broken")


def token_of_an_unknown_entry() -> str:
    return EntryTokens(SECRET).issue("bakery", "a" * 26, 1)


def said(logs: CapturedLogs, service: str = "public") -> list[tuple[str, str, int]]:
    return [(one["operation"], one["outcome"], one["failures"]) for one in logs.lines(service)]


def test_a_success_is_logged_with_its_route_and_duration(prepared: CapturedLogs) -> None:
    assert prepared.service.customer("GET", ENTRY).status_code == 200
    (line,) = prepared.lines("public")
    assert (line["operation"], line["outcome"]) == (f"GET {ROUTE}/{{entry_id}}", "ok")
    assert (line["status"], line["failures"], line["requests"]) == (200, 0, 1)
    (private,) = prepared.lines("private")
    assert (private["operation"], private["outcome"]) == ("position", "waiting")
    times = [private["redis_ms"], private["latency_ms"], line["queue_ms"], line["latency_ms"]]
    assert times[0] > 0
    assert times == sorted(times)


def test_the_time_of_the_record_is_logged_by_itself(prepared: CapturedLogs) -> None:
    prepared.service.operator("GET", ADMIN)
    (line,) = prepared.lines("public")
    assert 0 < line["record_ms"] <= line["latency_ms"]


def test_a_refusal_is_logged_by_its_code(prepared: CapturedLogs) -> None:
    prepared.service.token = token_of_an_unknown_entry()
    prepared.service.customer("POST", ENTRIES, json=SIGNUP)
    json_body = {"Content-Type": "application/json"}
    prepared.service.customer("POST", ENTRIES, content="{", headers=json_body)
    prepared.service.customer("POST", ENTRIES, content="x", headers={"Content-Type": "text/plain"})
    prepared.service.customer("POST", ENTRIES, content="x" * 20_000)
    codes = ["already_on_list", "invalid_json", "unsupported_media_type", "too_large"]
    assert said(prepared) == [(f"POST {ROUTE}", code, 0) for code in codes]


def test_a_path_that_the_api_does_not_have_is_no_operation(prepared: CapturedLogs) -> None:
    """The path may contain personal data, so it is not logged (promise P8)."""
    prepared.service.customer("GET", f"{LIST}/somebody")
    assert said(prepared) == [("unknown", "not_found", 0)]


def test_a_defect_is_logged_once_as_a_failure(
    prepared: CapturedLogs, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(EntryQueries, "details", defect)
    answer = prepared.service.http.request("GET", ADMIN_ENTRY, auth=local_operator())
    assert answer.status_code == 500
    (line,) = prepared.lines()
    assert (line["outcome"], line["status"], line["failures"]) == ("internal_error", 500, 1)
    (error,) = [vars(one) for one in caplog.records if one.levelname == "ERROR"]
    assert error["error"] == "RuntimeError"
    assert error["correlation_id"] == line["correlation_id"] == answer.headers[HEADER]


@pytest.mark.parametrize(
    "event", [{"requestContext": 7}, {"requestContext": None, "headers": [], "routeKey": 7}]
)
def test_a_broken_event_is_logged_with_lambdas_own_id(prepared: CapturedLogs, event: Any) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever it breaks on
        public.lambda_handler(event, Context())
    (line,) = prepared.lines("public")
    assert (line["operation"], line["outcome"], line["failures"]) == (
        "unknown",
        "internal_error",
        1,
    )
    assert line["correlation_id"] == Context.aws_request_id


@pytest.mark.parametrize(
    ("message", "operation", "outcome", "failures"),
    [
        ({"op": "ping"}, "ping", "pong", 0),
        ({"op": "ping", "v": 99}, "ping", "unsupported_version", 0),
        ({"op": "ada"}, "unknown", "invalid_request", 0),
        ({"op": ["ada"]}, "unknown", "invalid_request", 0),
        (None, "unknown", "invalid_request", 0),
        ({"op": "stats", "waitlist_id": "nowhere"}, "stats", "cold", 0),
    ],
)
def test_a_message_is_logged_by_operation_and_outcome(
    prepared: CapturedLogs, message: Any, operation: str, outcome: str, failures: int
) -> None:
    private_app.lambda_handler(message, None)
    assert said(prepared, "private") == [(operation, outcome, failures)]
    (line,) = prepared.lines()
    assert line["cold_answers"] == (outcome == "cold")


def test_cold_answers_are_counted_in_a_batch_too(prepared: CapturedLogs) -> None:
    requests = [{"op": "stats", "waitlist_id": one} for one in ("bakery", "nowhere", "noplace")]
    private_app.lambda_handler({"op": "batch", "requests": requests}, None)
    (line,) = prepared.lines()
    assert (line["results"], line["refused"], line["cold_answers"]) == (3, 2, 2)


def test_a_message_that_breaks_the_function_is_logged_as_a_failure(
    prepared: CapturedLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QueueService, "handle", defect)
    with pytest.raises(RuntimeError):
        private_app.lambda_handler({"op": "ping"}, None)
    assert said(prepared, "private") == [("ping", "internal_error", 1)]


def test_a_run_that_fails_is_logged_without_depths(
    prepared: CapturedLogs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed maintenance run logs no metrics. The missing metrics set off an alarm."""
    monkeypatch.setattr(MaintenanceRunner, "run_all", defect)
    with pytest.raises(RuntimeError):
        prepared.service.maintain()
    assert said(prepared, "maintenance") == [("minute", "failed", 1)]
    (line,) = prepared.lines("maintenance")
    assert "waitlists" not in line


def test_a_run_for_one_waitlist_logs_no_sums(prepared: CapturedLogs) -> None:
    maintenance.lambda_handler({"waitlist_id": "bakery"}, RunContext())
    (line,) = prepared.lines("maintenance")
    assert (line["operation"], line["outcome"]) == ("waitlist", "ok")
    assert "waiting" not in line
    assert line["rebuilds_started"] == 0


class RunContext(Context):
    function_name = "maintenance"


@pytest.mark.parametrize(
    ("log_level", "namespace", "lines"), [("ERROR", "Waitlist/test", 3), ("WARNING", "", 0)]
)
def test_metrics_do_not_hang_on_the_log_level(log_level: str, namespace: str, lines: int) -> None:
    with captured_logs(log_level=log_level, namespace=namespace) as kept:
        prepare(kept.service)
        kept.forget()
        kept.service.customer("GET", ENTRY)
        maintenance.lambda_handler({"waitlist_id": "nowhere"}, RunContext())
        assert len(kept.lines()) == lines
