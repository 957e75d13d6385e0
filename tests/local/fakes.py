"""Stand-ins for functions, and a server that stops with its test."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from local.function import Invocation, ThrottledError
from local.http_message import HttpApp
from local.http_server import HttpServer


class FakeFunction:
    """Runs `handler` in the caller's thread and remembers the events."""

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
    def invoke(self, payload: bytes) -> Invocation:
        raise ThrottledError("busy")


@contextmanager
def serving(app: HttpApp) -> Iterator[HttpServer]:
    server = HttpServer(port=0)
    server.start(app)
    try:
        yield server
        assert server.wait_until_idle(5)
    finally:
        server.stop()


def url_of(server: HttpServer) -> str:
    return f"http://127.0.0.1:{server.port}"
