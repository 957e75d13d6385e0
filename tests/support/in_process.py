"""Passes HTTP requests to an application in the same process.

A request over the network costs several times as much processor time as most routes need.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import httpx
from starlette.types import ASGIApp

from tools.local.http_message import HttpApp, HttpRequest


@contextmanager
def answered_here(url: str, app: HttpApp) -> Iterator[None]:
    """Let `app` answer every request that this process's HTTP clients send to `url`.

    Other processes still need a server at this URL.
    """
    here, over_network = httpx.URL(url), httpx.HTTPTransport.handle_request

    def handle(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        if (request.url.host, request.url.port) != (here.host, here.port):
            return over_network(self, request)
        answer = app(
            HttpRequest(
                request.method,
                request.url.raw_path.decode("latin-1"),
                tuple((name.lower(), value) for name, value in request.headers.multi_items()),
                request.read(),
            )
        )
        return httpx.Response(answer.status, headers=answer.headers, content=answer.body)

    with patch.object(httpx.HTTPTransport, "handle_request", handle):
        yield


class AsgiTransport(httpx.BaseTransport):
    """Lets an ASGI application answer an HTTP client's requests."""

    def __init__(self, app: ASGIApp) -> None:
        self._transport = httpx.ASGITransport(app, raise_app_exceptions=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return asyncio.run(self._answer(request))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        answer = await self._transport.handle_async_request(request)
        return httpx.Response(
            answer.status_code, headers=answer.headers.raw, content=await answer.aread()
        )
