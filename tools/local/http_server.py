"""The local HTTP server, which only this computer can reach. uvicorn runs in one thread and the
application in others.
"""

import errno
import logging
import math
import socket
import threading
from typing import Any

import uvicorn
from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tools.local.cors import CorsRules, GatewayCors
from tools.local.http_message import HttpApp, HttpRequest, HttpResponse, json_response
from tools.local.ports import HOST
from tools.local.rate_limits import RateLimited, RateLimits

# The size in bytes that Lambda allows for an event. API Gateway accepts 10 MB, but cannot pass more
# than this limit to Lambda.
MAX_BODY_BYTES = 6 * 1024 * 1024
# The size up to which the server reads a body that is too large. If it closed the connection
# earlier, the client would not see the response.
MAX_DRAINED_BYTES = 64 * 1024 * 1024
IDLE_SECONDS = 75
STOP_SECONDS = 1
BACKLOG = 1024

logger = logging.getLogger(__name__)


class PortError(Exception):
    """The port cannot be used. `reason` is "in use" or "not allowed"."""

    def __init__(self, port: int, reason: str) -> None:
        super().__init__(f"port {port} is {reason}")
        self.port = port
        self.reason = reason


class HttpServer:
    """An HTTP server. The constructor opens the port, and raises PortError if this fails.

    Requests are answered only after `start`. If the given port is 0, the system chooses a free one,
    which is then in `port`.
    """

    def __init__(self, port: int) -> None:
        reasons = {errno.EADDRINUSE: "in use", errno.EACCES: "not allowed"}
        try:
            self._socket = socket.create_server((HOST, port), backlog=BACKLOG)
        except OSError as error:
            if error.errno in reasons:
                raise PortError(port, reasons[error.errno]) from error
            raise
        # asyncio does not turn off Nagle's algorithm for this socket, so a response in two packets
        # would be delayed by 40 ms.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port: int = self._socket.getsockname()[1]
        self._application: _Application | None = None
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def start(
        self,
        app: HttpApp,
        *,
        cors: CorsRules | None = None,
        limits: RateLimits | None = None,
        in_threads: bool = True,
    ) -> None:
        """If `in_threads` is true, each request has its own thread. Otherwise, requests are
        answered one after another.
        """
        self._application = _Application(app, in_threads)
        asgi: ASGIApp = self._application
        if limits is not None:
            asgi = RateLimited(asgi, limits)
        self._server = uvicorn.Server(
            uvicorn.Config(
                asgi if cors is None else GatewayCors(asgi, cors),
                http="httptools",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=STOP_SECONDS,
            )
        )
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="http-server"
        )
        self._thread.start()

    def wait_until_idle(self, timeout_seconds: float) -> bool:
        """Wait for current requests to end. Return False if they do not end in time."""
        return self._application is None or self._application.wait_until_idle(timeout_seconds)

    def stop(self) -> None:
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join()
        self._socket.close()


class _Application:
    """An ASGI application that reads each request to the end and passes it to a synchronous
    application.
    """

    def __init__(self, app: HttpApp, in_threads: bool) -> None:
        self._app = app
        # The number of threads is not limited, because a request may send other requests to this
        # server and wait for them.
        self._threads = CapacityLimiter(math.inf) if in_threads else None
        self._running = 0
        self._became_idle = threading.Condition()

    def wait_until_idle(self, timeout_seconds: float) -> bool:
        with self._became_idle:
            return self._became_idle.wait_for(lambda: self._running == 0, timeout_seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._count(1)
        try:
            response = _as_starlette(await self._response(Request(scope, receive)))
            if scope["method"] == "HEAD" and not response.body:
                # In a response to HEAD, the length must be that of the body that GET would return
                # (RFC 9110, section 8.6). The function leaves out the body, so its length is
                # unknown.
                del response.headers["content-length"]
            await response(scope, receive, send)
        except ClientDisconnect:
            logger.debug("a client closed its connection before it had sent the whole request")
        finally:
            self._count(-1)

    async def _response(self, request: Request) -> HttpResponse:
        body = await _body(request)
        if body is None:
            return json_response(413, {"message": "Request Entity Too Large"})
        whole = _as_message(request, body)
        try:
            if self._threads is None:
                response = self._app(whole)
            else:
                response = await to_thread.run_sync(self._app, whole, limiter=self._threads)
        except Exception:
            logger.exception("a request failed inside the local gateway")
            return json_response(500, {"message": "Internal Server Error"})
        # Log neither the path nor the query, because they contain ids.
        logger.debug("%s -> %d", whole.method, response.status)
        return response

    def _count(self, change: int) -> None:
        with self._became_idle:
            self._running += change
            self._became_idle.notify_all()


async def _body(request: Request) -> bytes | None:
    """Return a request's body, or None if the body is larger than Lambda allows."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MAX_DRAINED_BYTES:
            break
        if size <= MAX_BODY_BYTES:
            chunks.append(chunk)
    return b"".join(chunks) if size <= MAX_BODY_BYTES else None


def _as_message(request: Request, body: bytes) -> HttpRequest:
    scope: Any = request.scope
    query: bytes = scope["query_string"]
    target: bytes = scope["raw_path"] + (b"?" + query if query else b"")
    return HttpRequest(
        method=request.method,
        target=target.decode("latin-1"),
        headers=tuple((name, value) for name, value in request.headers.items()),
        body=body,
        source_ip=request.client.host if request.client else HOST,
        protocol=f"HTTP/{scope['http_version']}",
    )


def _as_starlette(response: HttpResponse) -> Response:
    whole = Response(response.body, response.status)
    for name, value in response.headers:
        whole.headers.append(name, value)
    return whole
