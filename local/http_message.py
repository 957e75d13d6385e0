"""An HTTP request and response, free of the server that carries them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class HttpRequest:
    """`target` is the path and query as sent, still percent-encoded."""

    method: str
    target: str
    headers: Headers = ()
    body: bytes = b""
    source_ip: str = "127.0.0.1"
    protocol: str = "HTTP/1.1"

    @property
    def raw_path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def path(self) -> str:
        return unquote(self.raw_path)

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    def header(self, name: str) -> str | None:
        """All values of one header, joined by commas."""
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return ",".join(values) if values else None


@dataclass(frozen=True)
class HttpResponse:
    status: int
    headers: Headers = ()
    body: bytes = b""


HttpApp = Callable[[HttpRequest], HttpResponse]


def json_response(
    status: int, body: Any, headers: Headers = (), content_type: str = "application/json"
) -> HttpResponse:
    return HttpResponse(
        status, (("content-type", content_type), *headers), json.dumps(body).encode()
    )
