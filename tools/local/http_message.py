"""HTTP requests and responses that do not depend on a server library."""

import ipaddress
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

Headers = tuple[tuple[str, str], ...]
_HOST = re.compile(r"([a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d+)?")


@dataclass(frozen=True)
class HttpRequest:
    """An HTTP request.

    `target` is the path and query as the client sent them, still encoded.
    """

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

    @property
    def names_this_machine(self) -> bool:
        """Whether the Host header is missing or names this computer.

        An attacker can point their own domain to 127.0.0.1 (DNS rebinding), and a browser then
        sends this domain in the Host header.
        """
        host = self.header("host")
        return host is None or is_loopback(host)

    def header(self, name: str) -> str | None:
        """Return a header's values, separated by commas. If the header is missing, return None."""
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return ",".join(values) if values else None


@dataclass(frozen=True)
class HttpResponse:
    status: int
    headers: Headers = ()
    body: bytes = b""


def is_loopback(host: str) -> bool:
    """Return whether a Host header is `localhost` or a loopback address, with or without a port."""
    found = _HOST.fullmatch(host.lower())
    if found is None:
        return False
    try:
        return found[1] == "localhost" or ipaddress.ip_address(found[1].strip("[]")).is_loopback
    except ValueError:
        return False


HttpApp = Callable[[HttpRequest], HttpResponse]


def json_response(
    status: int, body: Any, headers: Headers = (), content_type: str = "application/json"
) -> HttpResponse:
    return HttpResponse(
        status, (("content-type", content_type), *headers), json.dumps(body).encode()
    )
