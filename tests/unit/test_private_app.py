"""The private function's handler reads the environment and creates its service only once."""

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


def test_the_handler_answers_every_event_with_an_error_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The handler answers every event.

    If the event is invalid or Redis cannot be reached, the answer contains an error code (promise
    P5).
    """
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1")
    assert app.lambda_handler({"op": "unknown"}, None)["code"] == "invalid_request"
    assert app.lambda_handler(None, None)["code"] == "invalid_request"
    assert app.lambda_handler({"op": "ping"}, None)["code"] == "queue_unavailable"


def test_a_bad_environment_is_reported_before_any_request_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REDIS_URL", "nonsense")
    with pytest.raises(ConfigError, match="REDIS_URL"):
        app.lambda_handler({"op": "ping"}, None)
