"""Fixtures of the tests of what is told: one deployment, with its lines."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.privacy.drives import prepare
from tests.service.telemetry.told import Told, told


@pytest.fixture
def prepared(tmp_path: Path) -> Iterator[Told]:
    """A waitlist with a customer in it; nothing is told yet."""
    with told(tmp_path) as kept:
        prepare(kept.service)
        kept.forget()
        yield kept
