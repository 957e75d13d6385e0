"""The private function's entry point: wired from the environment, once."""

from collections.abc import Iterator

import pytest

from waitlist_queue import app
from waitlist_queue.config import ConfigError


@pytest.fixture(autouse=True)
def _composed_anew() -> Iterator[None]:
    app.service.cache_clear()
    yield
    app.service.cache_clear()


def test_the_service_is_composed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1")
    first = app.service()
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:2")
    assert app.service() is first


def test_the_handler_answers_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """P5: whatever the event is, and though Redis is not there."""
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1")
    assert app.lambda_handler({"op": "unknown"}, None)["code"] == "invalid_request"
    assert app.lambda_handler(None, None)["code"] == "invalid_request"
    assert app.lambda_handler({"op": "ping"}, None)["code"] == "queue_unavailable"


def test_a_bad_environment_is_found_before_anything_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REDIS_URL", "nonsense")
    with pytest.raises(ConfigError, match="REDIS_URL"):
        app.lambda_handler({"op": "ping"}, None)
