"""Fixtures of the tests of logs and metrics: a deployment and its log lines."""

from collections.abc import Iterator

import pytest

from tests.service.privacy.drives import prepare
from tests.service.telemetry.captured_logs import CapturedLogs, captured_logs


@pytest.fixture
def prepared() -> Iterator[CapturedLogs]:
    """A waitlist with one customer. Nothing has been logged yet."""
    with captured_logs() as kept:
        prepare(kept.service)
        kept.forget()
        yield kept
