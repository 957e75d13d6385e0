"""A deployment whose log lines are all stored for the test."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.service.privacy.deployment import Deployment, deployed
from waitlist_shared import telemetry

HEADER = "X-Correlation-Id"
Line = dict[str, Any]


@dataclass
class CapturedLogs:
    """What the functions logged, and the responses of the requests that reached them."""

    service: Deployment
    _text: StringIO
    answers: list[httpx.Response] = field(default_factory=list)

    def lines(self, service: str = "") -> list[Line]:
        """Return the log lines of one service, or of all services, in the order in which they were
        written. Only `lines("audit")` returns the lines of the audit log, which have a different
        format.
        """
        lines = [json.loads(line) for line in self._text.getvalue().splitlines()]
        wanted = (service,) if service else ("public", "private", "maintenance")
        return [line for line in lines if line["service"] in wanted]

    def forget(self) -> None:
        self._text.seek(0)
        self._text.truncate()
        self.answers.clear()

    def keep(self, answer: httpx.Response) -> None:
        # API Gateway has refused the other requests itself.
        if HEADER in answer.headers:
            self.answers.append(answer)


@contextmanager
def captured_logs(
    *, log_level: str = "INFO", namespace: str | None = None
) -> Iterator[CapturedLogs]:
    """Run a deployment, and store what it prints."""
    text = StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        deployed(patch, issuer=False) as service,
    ):
        # The code does not replace sys.stdout itself, because pytest replaces it between a fixture
        # and its test.
        patch.setattr(telemetry, "sys", SimpleNamespace(stdout=text))
        patch.setenv("LOG_LEVEL", log_level)
        if namespace is not None:
            patch.setenv("METRICS_NAMESPACE", namespace)
        kept = CapturedLogs(service, text)
        service.http.event_hooks["response"].append(kept.keep)
        yield kept


def metrics_of(line: Line) -> set[tuple[str, str, frozenset[tuple[str, str]]]]:
    """Return the namespace, name and dimensions of each metric that CloudWatch reads from a log
    line.

    The format is specified at https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/
    CloudWatch_Embedded_Metric_Format_Specification.html
    """
    found = set()
    assert isinstance(line["_aws"]["Timestamp"], int)
    for directive in line["_aws"]["CloudWatchMetrics"]:
        assert 0 < len(directive["Metrics"]) <= 100
        for metric in directive["Metrics"]:
            value = line[metric["Name"]]
            assert isinstance(value, int | float), metric
            assert not isinstance(value, bool), metric
            for names in directive["Dimensions"]:
                assert len(names) <= 30
                assert all(isinstance(line[name], str) and line[name] for name in names)
                dimensions = frozenset((name, line[name]) for name in names)
                found.add((directive["Namespace"], metric["Name"], dimensions))
    return found
