"""One run: start the service, send the load, run maintenance, judge."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.reliability.load.client import Client, Load
from tests.reliability.load.customers import Population, customers
from tests.reliability.load.final_state import READERS, FinalState, Reader
from tests.reliability.load.history import History
from tests.reliability.load.memory import Growth, MemorySampler, Sample, growths
from tests.reliability.load.operators import ADMIN, operators
from tests.reliability.load.oracle import judge
from tests.reliability.load.plan import MAX_ATTEMPTS, Plan
from tests.reliability.load.problem import Problem
from tests.reliability.load.service import Service
from tools.local.api_client import ApiClient

NOTE_SECONDS = 0.5
SHORTEST_OFFER = 10
Note = Callable[[str, float], None]


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The measurements of a run, and the problems found."""

    history: History
    final_state: FinalState
    samples: Sequence[Sample]
    throttled: Sequence[float]
    began: float
    ended: float
    problems: Sequence[Problem]

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    @property
    def growths(self) -> list[Growth]:
        return growths(self.samples)


@dataclass(frozen=True, kw_only=True)
class Run(Measured):
    plan: Plan


def run(plan: Plan, note: Note) -> Run:
    """Run a plan; call `note` with the current activity and the finished part of it."""
    history = History()
    note("the service starts", 0)
    limits = {"PRIVATE_CONCURRENCY": plan.private_concurrency}
    with Service(limits) as service, ApiClient(service.url, READERS) as client:
        settings: dict[str, Any] = {"name": "Overload", "lease_seconds": plan.lease_seconds}
        # Operators alone offer places, so that each offer has a request that explains it.
        settings["admission"] = {"offer_seconds": max(SHORTEST_OFFER, plan.lease_seconds)}
        client.operator("PUT", ADMIN, json={**settings, "max_attempts": MAX_ATTEMPTS})
        began = time.monotonic()
        with MemorySampler(service.pid) as sampler:
            asyncio.run(_load(plan, service, history, note))
        ended = time.monotonic()
        note("maintenance finishes what was cut off, holds end", 1)
        reader = Reader(client)
        reader.settle(plan.lease_seconds, history, ended)
        note("the end is read", 1)
        final_state = reader.read(history)
    return Run(
        plan=plan,
        history=history,
        final_state=final_state,
        samples=sampler.samples,
        throttled=service.throttled,
        began=began,
        ended=ended,
        problems=[
            *judge(history, final_state, plan.lease_seconds),
            *of_processes(sampler.samples, service.mistakes),
        ],
    )


def of_processes(samples: Sequence[Sample], mistakes: Sequence[str]) -> Iterator[Problem]:
    for one in growths(samples):
        if not one.is_flat:
            yield Problem(
                "memory",
                f"a process of the {one.role} grew from {one.before:.0f} MB to"
                f" {one.after:.0f} MB between the second and the last third",
            )
    for line in mistakes:
        yield Problem("a mistake in the log", line)


async def _load(plan: Plan, service: Service, history: History, note: Note) -> None:
    load, population = Load(plan.operations, plan.kinds), Population()
    clients = [
        Client(service.url, history, load, f"{plan.seed}-{number}")
        for number in range(plan.clients)
    ]
    names = [f"customer-{number}" for number in range(plan.customers)]
    operator_names = [f"operator-{number}" for number in range(plan.operators)]
    work = [
        *(
            customers(client, name, population)
            for client, name in zip(clients, names, strict=False)
        ),
        *(
            operators(client, name, population)
            for client, name in zip(clients[plan.customers :], operator_names, strict=True)
        ),
    ]
    watching = asyncio.create_task(_watch(plan, service, history, load, note))
    try:
        await asyncio.gather(*work)
    finally:
        watching.cancel()
        await asyncio.gather(*(client.close() for client in clients))


async def _watch(plan: Plan, service: Service, history: History, load: Load, note: Note) -> None:
    """Report the progress of the load, and end it when its time is up."""
    began = time.monotonic()
    while True:
        await asyncio.sleep(NOTE_SECONDS)
        seconds = time.monotonic() - began
        if plan.operations is None:
            done = seconds / plan.seconds
            if done >= 1:
                load.end()
        else:
            done = len(history.operations) / plan.operations
        answers = len(history.attempts)
        refused = sum(one.status in (429, 503) for one in history.attempts)
        note(
            f"{answers:,} answers, {answers / seconds:.0f}/s, {refused:,} to come again,"
            f" {len(service.throttled):,} calls throttled",
            min(done, 1),
        )
