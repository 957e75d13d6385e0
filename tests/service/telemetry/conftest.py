"""Fixtures of the tests of logs and metrics."""

from collections.abc import Iterator

import pytest

from tests.service.privacy.drives import prepare
from tests.service.telemetry.captured_logs import CapturedLogs, captured_logs


@pytest.fixture
def prepared() -> Iterator[CapturedLogs]:
    with captured_logs() as kept:
        prepare(kept.service)
        kept.forget()
        yield kept
