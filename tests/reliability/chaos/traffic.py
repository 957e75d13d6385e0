"""Clients that send requests to the service while faults are injected into Redis."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from tests.reliability.load.client import Client, Load
from tests.reliability.load.customers import ENTRIES, Population, customers
from tests.reliability.load.final_state import MAINTENANCE, Reader
from tests.reliability.load.history import History, Loss
from tests.reliability.load.operators import ADMIN, operators
from tests.reliability.load.oracle import judge
from tests.reliability.load.plan import MAX_ATTEMPTS, WAITLIST_ID
from tests.reliability.load.position_checker import impossible_answers
from tests.reliability.load.wire import Wire
from tests.support.problem import Problem
from tools.local.api_client import ApiClient

# There are few clients, because each running request needs its own process.
CUSTOMERS, OPERATORS, LOOKERS = 3, 2, 1
# Claims last longer than the test, so none of them expires.
LEASE_SECONDS = 600
POLL_SECONDS = 0.01
# How long a client waits after a refusal. Without this pause, thousands of polls would be refused
# during a rebuild.
REFUSED_SECONDS = 0.2
TIMEOUT_SECONDS = 30
Injection = Callable[[], None]


@dataclass(frozen=True)
class Disruption:
    """A fault that is injected after a number of operations.

    `is_loss` says whether the fault makes Redis lose data.
    """

    after_operations: int
    inject: Injection
    is_loss: bool = True


class Traffic:
    """Runs a waitlist's clients and records their requests and the responses."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.history = History()
        self.population = Population()
        self._rounds = 0
        self._attempts_before = 0
        self._losses: list[Loss] = []

    def begin(self) -> None:
        settings = {"name": "Dying", "lease_seconds": LEASE_SECONDS, "max_attempts": MAX_ATTEMPTS}
        with ApiClient(self.url) as client:
            client.operator("PUT", ADMIN, json=settings)

    def flow(self, operations: int, *disruptions: Disruption) -> None:
        self._rounds += 1
        self._attempts_before = len(self.history.attempts)
        asyncio.run(self._flow(operations, disruptions))

    def maintain(self) -> None:
        """Run maintenance once. In production, a schedule does this every minute."""
        with ApiClient(self.url) as client:
            failure = client.customer("POST", MAINTENANCE, json={})
        assert failure is None, failure

    def lose(self, inject: Injection) -> None:
        began = time.monotonic()
        inject()
        self._losses.append(Loss(began, time.monotonic()))

    def was_refused(self, code: str) -> bool:
        """Return whether any request in the last call to `flow` was refused with this code."""
        return any(one.code == code for one in self.history.attempts[self._attempts_before :])

    def problems(self) -> list[Problem]:
        with ApiClient(self.url, LOOKERS) as client:
            final_state = Reader(client).read(self.history)
        found = judge(self.history, final_state, LEASE_SECONDS, self._losses)
        return [*found, *impossible_answers(self.history, LEASE_SECONDS)]

    async def _flow(self, operations: int, disruptions: tuple[Disruption, ...]) -> None:
        load, begun = Load(operations), len(self.history.operations)
        names = [f"{self._rounds}-{number}" for number in range(CUSTOMERS + OPERATORS)]
        wires = [Wire(self.url, 1, TIMEOUT_SECONDS) for _ in names]
        clients = [
            Client(wire, self.history, load, name) for wire, name in zip(wires, names, strict=True)
        ]
        visits = [
            customers(client, f"customer-{name}", self.population)
            for client, name in zip(clients[:CUSTOMERS], names, strict=False)
        ]
        operator_visits = [
            operators(client, f"operator-{name}", self.population)
            for client, name in zip(clients[CUSTOMERS:], names[CUSTOMERS:], strict=True)
        ]
        looking = [asyncio.create_task(self._look(number)) for number in range(LOOKERS)]
        injecting = asyncio.create_task(self._inject(begun, disruptions))
        try:
            await asyncio.gather(*visits, *operator_visits)
            await injecting
        finally:
            for task in looking:
                task.cancel()
            await asyncio.gather(*looking, return_exceptions=True)
            for wire in wires:
                wire.close()

    async def _inject(self, begun: int, disruptions: tuple[Disruption, ...]) -> None:
        for one in disruptions:
            while len(self.history.operations) < begun + one.after_operations:
                await asyncio.sleep(POLL_SECONDS)
            await asyncio.to_thread(self.lose if one.is_loss else _call, one.inject)

    async def _look(self, number: int) -> None:
        wire = Wire(self.url, 1, TIMEOUT_SECONDS)
        client = Client(wire, self.history, Load(None), f"looker {number}", tries=1)
        turn = number
        try:
            while True:
                turn += LOOKERS
                known = [one for one in self.history.of("signup") if one.is_done]
                if known and turn % 4:
                    signup = known[turn * 7 % len(known)]
                    path = f"{ENTRIES}/{signup.answer['entry_id']}"
                    token = signup.answer["entry_token"]
                    look = await client.customer("poll", signup.person, "GET", path, token=token)
                else:
                    path = f"/v1/waitlists/{WAITLIST_ID}"
                    look = await client.customer("total", "", "GET", path)
                if not look.is_done:
                    await asyncio.sleep(REFUSED_SECONDS)
        finally:
            wire.close()


def _call(inject: Injection) -> None:
    inject()
