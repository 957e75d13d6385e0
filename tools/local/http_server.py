"""An HTTP/1.1 server with keep-alive and a thread per connection, on loopback only.

Werkzeug's own server is not used: it closes every connection after one request, which would cost a
new connection for each call between the functions.
"""

import contextlib
import errno
import io
import logging
import socketserver
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any, cast

from werkzeug.serving import DechunkedInput

from tools.local.http_message import HttpApp, HttpRequest, HttpResponse, json_response

HOST = "127.0.0.1"
# What Lambda takes as an event; API Gateway would take 10 MB and then fail to hand it over.
MAX_BODY_BYTES = 6 * 1024 * 1024
MAX_DRAINED_BYTES = 64 * 1024 * 1024
IDLE_SECONDS = 75
BACKLOG = 1024

logger = logging.getLogger(__name__)


class PortInUseError(Exception):
    def __init__(self, port: int) -> None:
        super().__init__(f"port {port} is in use")
        self.port = port


class PortForbiddenError(Exception):
    def __init__(self, port: int) -> None:
        super().__init__(f"port {port} is not allowed")
        self.port = port


class HttpServer(socketserver.ThreadingTCPServer):
    """Holds its port from the moment it is made; requests wait until `start`.

    Port 0 takes any free port, which `port` then tells.
    """

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = BACKLOG

    def __init__(self, port: int) -> None:
        self.app: HttpApp = _not_ready
        self._busy = 0
        self._became_idle = threading.Condition()
        self._thread: threading.Thread | None = None
        try:
            super().__init__((HOST, port), _Connection)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise PortInUseError(port) from error
            if error.errno == errno.EACCES:
                raise PortForbiddenError(port) from error
            raise
        self.port = self.server_address[1]

    def start(self, app: HttpApp) -> None:
        self.app = app
        self._thread = threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.05}, name="http-accept"
        )
        self._thread.start()

    def wait_until_idle(self, timeout_seconds: float) -> bool:
        """Whether every request was answered in time."""
        with self._became_idle:
            return self._became_idle.wait_for(lambda: self._busy == 0, timeout_seconds)

    def stop(self) -> None:
        """Takes no more connections; idle ones end with the process."""
        if self._thread is not None:
            self.shutdown()
            self._thread.join()
            self._thread = None
        self.server_close()

    @contextlib.contextmanager
    def busy(self) -> Iterator[None]:
        with self._became_idle:
            self._busy += 1
        try:
            yield
        finally:
            with self._became_idle:
                self._busy -= 1
                self._became_idle.notify_all()

    def handle_error(self, *_connection: Any) -> None:
        logger.debug("a connection broke", exc_info=True)


def _not_ready(_request: HttpRequest) -> HttpResponse:
    return json_response(503, {"message": "Service Unavailable"}, (("retry-after", "1"),))


class _RefusedError(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.response = json_response(status, {"message": message}, (("connection", "close"),))


class _Connection(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = IDLE_SECONDS
    server: HttpServer

    def __getattr__(self, name: str) -> Any:
        # http.server looks a method up by its name; here every method is a request to the app.
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def _serve(self) -> None:
        with self.server.busy():
            try:
                body = self._read_body()
            except _RefusedError as refused:
                self._send(refused.response)
                self._drain()
                return
            self._send(self._answer(body))

    def _answer(self, body: bytes) -> HttpResponse:
        request = HttpRequest(
            method=self.command,
            target=self.path,
            headers=tuple(self.headers.items()),
            body=body,
            source_ip=str(self.client_address[0]),
            protocol=self.request_version,
        )
        try:
            response = self.server.app(request)
        except Exception:
            logger.exception("a request failed in the front itself")
            return json_response(500, {"message": "Internal Server Error"})
        # Neither query nor path: an id in a URL has no place in a log.
        logger.debug("%s -> %d", request.method, response.status)
        return response

    def _read_body(self) -> bytes:
        if "chunked" in (self.headers.get("transfer-encoding") or "").lower():
            stream: Any = DechunkedInput(cast(Any, self.rfile))
            body = io.BufferedReader(stream).read(MAX_BODY_BYTES + 1)
            if len(body) > MAX_BODY_BYTES:
                raise _RefusedError(413, "Request Entity Too Large")
            return body
        length = self.headers.get("content-length", "0")
        if not (length.isascii() and length.isdecimal()):
            raise _RefusedError(400, "Bad Request")
        if int(length) > MAX_BODY_BYTES:
            raise _RefusedError(413, "Request Entity Too Large")
        return self.rfile.read(int(length))

    def _drain(self) -> None:
        # Closing while the client still sends would reset its connection and lose the answer.
        self.close_connection = True
        self.connection.settimeout(1)
        drained = 0
        with contextlib.suppress(OSError):
            while drained < MAX_DRAINED_BYTES and (chunk := self.rfile.read1(1 << 16)):
                drained += len(chunk)

    def _send(self, response: HttpResponse) -> None:
        has_body = response.status not in (204, 304)
        self.send_response(response.status)
        for name, value in response.headers:
            self.send_header(name, value)
        if has_body:
            self.send_header("content-length", str(len(response.body)))
        self.end_headers()
        if has_body and self.command != "HEAD":
            self.wfile.write(response.body)
        self.wfile.flush()

    def version_string(self) -> str:
        return "waitlist-local"

    def log_message(self, *_line: Any) -> None:
        """http.server's own log names URLs; `_answer` writes a shorter line."""
