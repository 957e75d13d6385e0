"""Runs a deployment and captures all its log lines."""

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
    """The functions' log lines, and the responses to requests."""

    service: Deployment
    _text: StringIO
    answers: list[httpx.Response] = field(default_factory=list)

    def lines(self, service: str = "") -> list[Line]:
        """Return the log lines of one function, or of all functions.

        Audit log lines have a different format, and are returned only if `service` is `audit`.
        """
        lines = [json.loads(line) for line in self._text.getvalue().splitlines()]
        wanted = (service,) if service else ("public", "private", "maintenance")
        return [line for line in lines if line["service"] in wanted]

    def forget(self) -> None:
        self._text.seek(0)
        self._text.truncate()
        self.answers.clear()

    def keep(self, answer: httpx.Response) -> None:
        # Only responses from a function have this header. API Gateway refuses some requests itself,
        # and no function logs these.
        if HEADER in answer.headers:
            self.answers.append(answer)


@contextmanager
def captured_logs(
    *, log_level: str = "INFO", namespace: str | None = None
) -> Iterator[CapturedLogs]:
    text = StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        deployed(patch, issuer=False) as service,
    ):
        # Pytest replaces sys.stdout before the test begins, so the `telemetry` module gets its own
        # `sys`.
        patch.setattr(telemetry, "sys", SimpleNamespace(stdout=text))
        patch.setenv("LOG_LEVEL", log_level)
        if namespace is not None:
            patch.setenv("METRICS_NAMESPACE", namespace)
        kept = CapturedLogs(service, text)
        service.http.event_hooks["response"].append(kept.keep)
        yield kept


def metrics_of(line: Line) -> set[tuple[str, str, frozenset[tuple[str, str]]]]:
    """Return the metrics that CloudWatch reads from a log line in its embedded metric format."""
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
