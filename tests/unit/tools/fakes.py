"""Fake Lambda functions, and a server that stops at the end of a test."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tools.local.function import Invocation, ThrottledError
from tools.local.http_message import HttpApp
from tools.local.http_server import HttpServer


class FakeFunction:
    """A fake Lambda function that calls `handler` directly and records its events."""

    def __init__(self, handler: Callable[[Any], Any] = lambda event: event) -> None:
        self.handler = handler
        self.events: list[Any] = []

    def invoke(self, payload: bytes) -> Invocation:
        event = json.loads(payload)
        self.events.append(event)
        return Invocation(json.dumps(self.handler(event)).encode())


class FailingFunction:
    def __init__(self, error_type: str = "ValueError") -> None:
        self.error_type = error_type

    def invoke(self, payload: bytes) -> Invocation:
        error = {"errorType": self.error_type, "errorMessage": "no", "stackTrace": ["  line\n"]}
        return Invocation(json.dumps(error).encode(), failed=True)


class BusyFunction:
    """A fake Lambda function that throttles its first `times` calls and answers later calls with
    `then`.
    """

    def __init__(self, times: int = 10**9) -> None:
        self.times = times
        self.then: Callable[[Any], Any] = lambda event: event
        self.called = threading.Event()

    def invoke(self, payload: bytes) -> Invocation:
        self.called.set()
        if self.times:
            self.times -= 1
            raise ThrottledError("busy")
        return Invocation(json.dumps(self.then(json.loads(payload))).encode())


@contextmanager
def serving(app: HttpApp, **options: Any) -> Iterator[HttpServer]:
    server = HttpServer(port=0)
    server.start(app, **options)
    try:
        yield server
        assert server.wait_until_idle(5)
    finally:
        server.stop()


def url_of(server: HttpServer) -> str:
    return f"http://127.0.0.1:{server.port}"
