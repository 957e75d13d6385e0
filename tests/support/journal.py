"""Limits how far back maintenance reads its journal after an interruption."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from waitlist_api.records.journal import MINUTE


@contextmanager
def read_at_most(minutes: int) -> Iterator[None]:
    with (
        patch("waitlist_api.maintenance.heartbeat.LONGEST_STAMPS", minutes * MINUTE),
        patch("waitlist_api.maintenance.rebuild_passes.LONGEST_STAMPS", minutes * MINUTE),
    ):
        yield
