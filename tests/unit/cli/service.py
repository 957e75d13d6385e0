"""Runs the whole service in the tests' process, behind a real HTTP server.

It answers many times faster than the separate processes of `make run`, which the tests in tests/e2e
use.
"""

import io
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.dynamodb import TABLE
from tests.support.gateway import ROUTES, Context
from tests.support.lambdas import MESSAGES
from tests.support.redis_servers import running_server
from tests.support.world import SECRET, Clock, World
from tools.local.dynamodb.memory_table import MemoryTable
from tools.local.function import Invocation
from tools.local.http_server import HttpServer
from tools.local.local_gateway import LocalGateway
from tools.local.mailbox import PATH, Mailbox
from tools.local.ports import HOST
from waitlist_api.auth.credentials import EntryTokens
from waitlist_api.records.table import Table

MAINTENANCE_MILLIS = 300_000


class RealClock(Clock):
    def now_millis(self) -> int:
        return time.time_ns() // 1_000_000

    def advance(self, seconds: float) -> None:
        time.sleep(seconds)


@dataclass(frozen=True)
class WithMailbox:
    """A Lambda client that passes the messages function's events to the local mailbox."""

    client: Any
    mailbox: Mailbox

    def invoke(self, **call: Any) -> dict[str, Any]:
        if call["FunctionName"] != MESSAGES:
            answer: dict[str, Any] = self.client.invoke(**call)
            return answer
        payload = self.mailbox.invoke(call["Payload"]).payload
        return {"StatusCode": 200, "Payload": io.BytesIO(payload)}

    def take_started(self) -> list[dict[str, Any]]:
        taken, self.client.started = self.client.started, []
        return list(taken)


@dataclass(frozen=True)
class PublicFunction:
    """Runs the public function for one request at a time.

    If a request invokes maintenance, maintenance runs as soon as the request is done.
    """

    world: World
    lock: threading.Lock = field(default_factory=threading.Lock)

    def invoke(self, payload: bytes) -> Invocation:
        with self.lock:
            answer = self.world.api.handle(json.loads(payload), Context())
            for event in self.world.lambda_.take_started():
                self.world.maintenance.run_one(event["waitlist_id"], lambda: MAINTENANCE_MILLIS)
        return Invocation(json.dumps(answer).encode())


@contextmanager
def served() -> Iterator[str]:
    server, table = HttpServer(port=0), MemoryTable()
    url = f"http://{HOST}:{server.port}"
    mailbox = Mailbox(Table(table, TABLE), EntryTokens(SECRET), url)
    with running_server() as redis:
        world = World.on(
            table, redis.client, lambda client: WithMailbox(client, mailbox), clock=RealClock()
        )
        server.start(LocalGateway(PublicFunction(world), {PATH: mailbox}, ROUTES))
        try:
            yield url
        finally:
            server.stop()
