"""Fixtures of the tests of logs and metrics: one deployment with its log lines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.privacy.drives import prepare
from tests.service.telemetry.told import Told, told


@pytest.fixture
def prepared(tmp_path: Path) -> Iterator[Told]:
    """A waitlist with one customer; nothing is logged yet."""
    with told(tmp_path) as kept:
        prepare(kept.service)
        kept.forget()
        yield kept
