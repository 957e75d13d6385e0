"""A local server that receives webhooks, and the function that sends them. Tests choose the
server's responses.
"""

import json
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from standardwebhooks import Webhook

from tests.service.bus.scene import Scene
from tests.support.dynamodb import TABLE
from tests.support.rights import WEBHOOK_DEAD_LETTERS, WEBHOOK_QUEUE, guarded
from tools.local.sqs import lambda_event
from waitlist_api.config import WebhookConfig
from waitlist_api.handlers import webhook as webhook_handler
from waitlist_api.records.table import Table
from waitlist_api.records.webhooks import WebhookRecords
from waitlist_api.webhooks.deliver import WebhookSender
from waitlist_api.webhooks.queue import WebhookQueue
from waitlist_api.webhooks.receiver import Receiver
from waitlist_api.webhooks.signatures import Signatures

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
Answer = Callable[[BaseHTTPRequestHandler], None]
Detail = dict[str, Any]


def status(code: int, **headers: str) -> Answer:
    """Return a response. Underscores in header names become hyphens."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(code)
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()

    return answer


class Stand:
    """A server that stores webhooks.

    It sends the responses in `answers` first, and then always sends `always`.
    """

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.url = f"http://127.0.0.1:{server.server_address[1]}/hook?a=b"
        self.answers: list[Answer] = []
        self.always = status(204)
        self.received: list[tuple[str, Detail]] = []
        self.secrets = [SECRET]
        self.ending = threading.Event()

    def take(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["content-length"]))
        headers = {name: request.headers[name] for name in request.headers}
        details = [Webhook(secret).verify(body, headers) for secret in self.secrets]
        assert request.path == "/hook?a=b"
        assert all(one == details[0] for one in details)
        self.received.append((headers["webhook-id"], details[0]))
        (self.answers.pop(0) if self.answers else self.always)(request)

    @property
    def events(self) -> list[str]:
        return [detail["event"] for _, detail in self.received]


@contextmanager
def standing(tls: ssl.SSLContext | None = None) -> Iterator[Stand]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.close_connection = True
            stand.take(self)

        stand: Stand

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            # A client that rejects the server's certificate closes the connection. The server
            # ignores this error.
            if not isinstance(sys.exception(), ssl.SSLError):
                super().handle_error(request, client_address)

    with Server(("127.0.0.1", 0), Handler) as server:
        Handler.stand = stand = Stand(server)
        if tls is not None:
            # Each connection does its TLS handshake in its own thread, so that a slow client does
            # not block the others.
            server.socket = tls.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False
            )
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield stand
        finally:
            stand.ending.set()
            server.shutdown()
            thread.join()


@dataclass
class Context:
    left: int = 60_000

    def get_remaining_time_in_millis(self) -> int:
        return self.left


@dataclass
class Stage:
    """A waitlist, a queue of events, and the function that sends the events to a local server."""

    stand: Stand
    patch: pytest.MonkeyPatch
    scene: Scene = field(default_factory=Scene)
    secret: str = SECRET
    context: Context = field(default_factory=Context)

    def __post_init__(self) -> None:
        self.sqs = self.scene.world.sqs
        self.queue, self.dead = self.sqs.queue, self.sqs.dead
        config = WebhookConfig(TABLE, self.stand.url, "", "", log_level="CRITICAL")
        self.patch.setattr(webhook_handler, "config", lambda: config)
        webhook_handler.telemetry.cache_clear()
        self.start()

    def start(
        self,
        dynamodb: Any = None,
        **of_receiver: Any,
    ) -> None:
        given = {"url": self.stand.url, "only_loopback": True, **of_receiver}
        made = WebhookSender(
            records=WebhookRecords(
                Table(guarded("WebhookFn", dynamodb or self.scene.table), TABLE),
                self.scene.clock.now_millis,
            ),
            queue=WebhookQueue(guarded("WebhookFn", self.sqs), WEBHOOK_QUEUE, WEBHOOK_DEAD_LETTERS),
            receiver=Receiver(**given),
            # The library that verifies signatures uses the real time, so the signatures must use it
            # too.
            signatures=Signatures(lambda: self.secret),
            now_millis=self.scene.clock.now_millis,
            jitter=lambda: 0.0,
        )
        self.patch.setattr(webhook_handler, "webhook_sender", lambda: made)

    def advance(self, seconds: float) -> None:
        self.scene.world.advance(seconds)

    def announce(self, details: list[Detail] | None = None) -> None:
        for detail in self.scene.news() if details is None else details:
            self.queue.send(json.dumps(detail))

    def call(self) -> bool:
        messages = self.queue.receive(1)
        if not messages:
            return False
        answer = webhook_handler.lambda_handler(lambda_event(messages), self.context)
        if not answer["batchItemFailures"]:
            self.queue.delete(messages[0].receipt)
        else:
            assert answer == {"batchItemFailures": [{"itemIdentifier": messages[0].id}]}
        return True

    def run(self) -> None:
        while self.call():
            pass

    def run_for(self, seconds: float, step: float = 600) -> None:
        for _ in range(int(seconds // step)):
            self.advance(step)
            self.run()
