"""Clients of the service, and the faults that strike while they send requests."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from tests.reliability.load.client import ONE_TLS_CONTEXT, Client, Load
from tests.reliability.load.customers import ENTRIES, Population, customers
from tests.reliability.load.final_state import MAINTENANCE, Reader
from tests.reliability.load.history import Attempt, History, Loss, Operation, Outcome
from tests.reliability.load.operators import ADMIN, operators
from tests.reliability.load.oracle import judge
from tests.reliability.load.plan import MAX_ATTEMPTS, WAITLIST_ID
from tests.reliability.load.position_checker import impossible_answers
from tests.reliability.load.problem import Problem
from tools.local.api_client import ApiClient

# Few, because each request under way occupies a function process, which takes a second to start.
CUSTOMERS, OPERATORS, LOOKERS = 4, 2, 2
# Longer than the test, so that no hold expires during it.
LEASE_SECONDS = 600
POLL_SECONDS = 0.01
TIMEOUT_SECONDS = 30
Injection = Callable[[], None]


@dataclass(frozen=True)
class Disruption:
    """A fault injected after a number of operations; `is_loss` if Redis loses data by it."""

    after_operations: int
    inject: Injection
    is_loss: bool = True


class Traffic:
    """The clients of one waitlist, and the history of their requests and answers."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.history = History()
        self.population = Population()
        self._rounds = 0
        self._losses: list[Loss] = []

    def begin(self) -> None:
        """Create the waitlist."""
        settings = {"name": "Dying", "lease_seconds": LEASE_SECONDS, "max_attempts": MAX_ATTEMPTS}
        with ApiClient(self.url) as client:
            client.operator("PUT", ADMIN, json=settings)

    def flow(self, operations: int, *disruptions: Disruption) -> None:
        """Run the clients until they have completed so many operations in total."""
        self._rounds += 1
        asyncio.run(self._flow(operations, disruptions))

    def maintain(self) -> None:
        """Run maintenance once, as the schedule does every minute."""
        with ApiClient(self.url) as client:
            failure = client.customer("POST", MAINTENANCE, json={})
        assert failure is None, failure

    def lose(self, inject: Injection) -> None:
        """Inject a loss of Redis' data, and note its time."""
        began = time.monotonic()
        inject()
        self._losses.append(Loss(began, time.monotonic()))

    def was_refused(self, code: str) -> bool:
        """Return whether a client got a refusal with this code."""
        return any(one.code == code for one in self.history.attempts)

    def problems(self) -> list[Problem]:
        """Return the answers that were impossible, or that the final state contradicts."""
        with ApiClient(self.url, LOOKERS) as client:
            final_state = Reader(client).read(self.history)
        found = judge(self.history, final_state, LEASE_SECONDS, self._losses)
        return [*found, *impossible_answers(self.history, LEASE_SECONDS)]

    async def _flow(self, operations: int, disruptions: tuple[Disruption, ...]) -> None:
        load, begun = Load(operations), len(self.history.operations)
        names = [f"{self._rounds}-{number}" for number in range(CUSTOMERS + OPERATORS)]
        clients = [Client(self.url, self.history, load, name) for name in names]
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
            await asyncio.gather(*(client.close() for client in clients))

    async def _inject(self, begun: int, disruptions: tuple[Disruption, ...]) -> None:
        for one in disruptions:
            while len(self.history.operations) < begun + one.after_operations:
                await asyncio.sleep(POLL_SECONDS)
            await asyncio.to_thread(self.lose if one.is_loss else _call, one.inject)

    async def _look(self, number: int) -> None:
        """Read positions and totals in a loop, without retries."""
        async with httpx.AsyncClient(
            base_url=self.url, timeout=TIMEOUT_SECONDS, verify=ONE_TLS_CONTEXT, trust_env=False
        ) as http:
            turn = number
            while True:
                turn += LOOKERS
                known = [one for one in self.history.of("signup") if one.is_done]
                if known and turn % 4:
                    await self._ask(http, known[turn * 7 % len(known)])
                else:
                    await self._get(http, "total", "", f"/v1/waitlists/{WAITLIST_ID}")

    async def _ask(self, http: httpx.AsyncClient, signup: Operation) -> None:
        headers = {"Authorization": f"Bearer {signup.answer['entry_token']}"}
        path = f"{ENTRIES}/{signup.answer['entry_id']}"
        await self._get(http, "poll", signup.person, path, headers=headers)

    async def _get(
        self, http: httpx.AsyncClient, kind: str, person: str, path: str, **more: Any
    ) -> None:
        began = time.monotonic()
        answer = await http.get(path, **more)
        ended, status, body = time.monotonic(), answer.status_code, answer.json()
        outcome: Outcome = "done" if status == 200 else "refused" if status < 429 else "unknown"
        self.history.operations.append(Operation(kind, person, outcome, began, ended, answer=body))
        retry_after = answer.headers.get("retry-after", "")
        self.history.attempts.append(
            Attempt(kind, began, ended, status, str(body.get("code", "")), retry_after)
        )


def _call(inject: Injection) -> None:
    inject()
