"""Tests that CloudWatch accepts all metrics.

They have only a few dimensions, whose values are all known in advance.
"""

from collections.abc import Iterator

import pytest

from tests.deployment.template import route_authorizers
from tests.queue.behaviour.outcomes import OUTCOMES
from tests.service.privacy.deployment import NAMESPACE
from tests.service.privacy.drives import prepare
from tests.service.telemetry.captured_logs import CapturedLogs, Line, captured_logs, metrics_of
from waitlist_api.http.errors import public_errors
from waitlist_api.maintenance.run_log import COUNTS, LEVELS, PARTS
from waitlist_cli.operations.cost import WATCHED
from waitlist_shared.contracts import REQUESTS
from waitlist_shared.errors import BY_CODE

ANSWERS = {word for _, word in OUTCOMES} | {"pong", "batch"} | set(BY_CODE)
# All values of each dimension. There must be few of them, because CloudWatch stores and charges for
# a separate metric per value.
OPERATIONS: dict[str, set[str]] = {
    "public": {*route_authorizers(), "unknown"},
    "private": {*map(str, REQUESTS), "unknown"},
    "maintenance": {"minute", "waitlist"},
}
RESULTS: dict[str, set[str]] = {
    "public": {"ok", *public_errors()},
    "private": ANSWERS,
    "maintenance": {"ok", "failed"},
}
MEASURED = {
    "public": {"requests", "latency_ms", "failures", *COUNTS, *PARTS},
    "private": {"requests", "latency_ms", "failures", "cold_answers"},
    "maintenance": {"requests", "latency_ms", "failures", *COUNTS, *LEVELS},
}


@pytest.fixture
def driven() -> Iterator[CapturedLogs]:
    with captured_logs() as kept:
        yield kept


def check_line(line: Line) -> None:
    service = line["service"]
    assert line["operation"] in OPERATIONS[service]
    assert line["outcome"] in RESULTS[service]
    for namespace, name, dimensions in metrics_of(line):
        assert namespace == NAMESPACE
        assert name in MEASURED[service]
        assert {key for key, _ in dimensions} in (
            {"service"},
            {"service", "operation", "outcome"},
        )
    assert line["correlation_id"]


def test_an_idle_stack_emits_the_metrics_that_are_paid_for(driven: CapturedLogs) -> None:
    prepare(driven.service)
    driven.forget()
    for _ in range(2):
        driven.service.maintain()
    metrics = {metric for line in driven.lines() for metric in metrics_of(line)}
    assert len(metrics) == WATCHED["full"]["stack"].idle


def test_the_answers_status_is_the_lines(driven: CapturedLogs) -> None:
    prepare(driven.service)
    driven.service.customer("GET", "/v1/waitlists/nowhere")
    statuses = [answer.status_code for answer in driven.answers]
    assert [line["status"] for line in driven.lines("public")] == statuses
    assert {201, 404} <= set(statuses)
