"""Provides a fixed time and fixed keys, with which tests sign requests as an IAM user."""

from datetime import UTC, datetime

import pytest
from botocore.credentials import Credentials

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
KEYS = Credentials("AKIDEXAMPLE", "a secret key", "a session/token+=")


class WallClock:
    """A clock that stands still until a test moves it. botocore signs requests with this clock's
    time.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = NEW_YEAR.timestamp()
        monkeypatch.setattr("botocore.auth.get_current_datetime", self._datetime)

    def __call__(self) -> float:
        return self.seconds

    def _datetime(self) -> datetime:
        return datetime.fromtimestamp(self.seconds, UTC)
