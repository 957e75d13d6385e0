"""Runs more clients than the service can handle, all of which send requests without pausing."""

import asyncio
import time
from collections.abc import Callable

from tests.reliability.load.client import Client, Load
from tests.reliability.load.customers import Population, customers
from tests.reliability.load.history import History
from tests.reliability.load.operators import operators
from tests.reliability.load.plan import Plan
from tests.reliability.load.service import Service
from tests.reliability.load.wire import Wire
from waitlist_cli.client.retries import PATIENT

NOTE_SECONDS = 0.5


async def clients(
    plan: Plan, service: Service, history: History, note: Callable[[str, float], None]
) -> None:
    load, population = Load(plan.operations, plan.kinds), Population()
    wires = [Wire(service.url, 1, PATIENT.timeout_seconds) for _ in range(plan.clients)]
    sent = [
        Client(wire, history, load, f"{plan.seed}-{number}") for number, wire in enumerate(wires)
    ]
    work = [
        (customers if number < plan.customers else operators)(
            client, f"client-{number}", population
        )
        for number, client in enumerate(sent)
    ]
    watching = asyncio.create_task(_watch(plan, service, history, load, note))
    try:
        await asyncio.gather(*work)
    finally:
        watching.cancel()
        for wire in wires:
            wire.close()


async def _watch(
    plan: Plan, service: Service, history: History, load: Load, note: Callable[[str, float], None]
) -> None:
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
            f"{answers:,} answers, {answers / seconds:.0f}/s, {refused:,} asked for a retry,"
            f" {len(service.throttled):,} calls throttled",
            min(done, 1),
        )
