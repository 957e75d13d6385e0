"""Fixtures of the tests of logs and metrics: one deployment with its log lines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.privacy.drives import prepare
from tests.service.telemetry.captured_logs import CapturedLogs, captured_logs


@pytest.fixture
def prepared(tmp_path: Path) -> Iterator[CapturedLogs]:
    """A waitlist with one customer; nothing is logged yet."""
    with captured_logs(tmp_path) as kept:
        prepare(kept.service)
        kept.forget()
        yield kept
