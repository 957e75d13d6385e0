"""Runs the whole service in the tests' process.

Commands and consoles in the same process reach the service without a network. Other processes reach
it over HTTP. The tests in tests/e2e use the separate processes of `make run` instead, which respond
many times more slowly.
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
from tests.support.in_process import answered_here
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


@dataclass(frozen=True)
class Service:
    url: str
    world: World

    def delete_waitlists(self) -> None:
        """Delete all waitlists, because commands and pages that list them become slow."""
        self.world.dynamodb.items = {}
        self.world.redis.flushall()


@contextmanager
def served() -> Iterator[Service]:
    server, table = HttpServer(port=0), MemoryTable()
    url = f"http://{HOST}:{server.port}"
    mailbox = Mailbox(Table(table, TABLE), EntryTokens(SECRET), url)
    with running_server() as redis:
        world = World.on(
            table, redis.client, lambda client: WithMailbox(client, mailbox), clock=RealClock()
        )
        gateway = LocalGateway(PublicFunction(world), {PATH: mailbox}, ROUTES)
        server.start(gateway)
        try:
            with answered_here(url, gateway):
                yield Service(url, world)
        finally:
            server.stop()
