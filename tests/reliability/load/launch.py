"""Simulates a launch, in which everyone arrives within a short time.

Each person signs up once and retries as docs/internals/time-budgets.md tells clients to.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence

from tests.reliability.load.client import Client, Load
from tests.reliability.load.customers import ENTRIES
from tests.reliability.load.history import Attempt, History
from tests.reliability.load.overload import NOTE_SECONDS
from tests.reliability.load.plan import LaunchPlan
from tests.reliability.load.wire import Wire
from waitlist_cli.client.retries import PATIENT


async def people(
    plan: LaunchPlan,
    url: str,
    history: History,
    came: dict[str, float],
    note: Callable[[str, float], None],
) -> None:
    wire = Wire(url, plan.connections, PATIENT.timeout_seconds)
    load = Load(plan.people)
    watching = asyncio.create_task(_watch(plan, history, came, note))
    try:
        async with asyncio.timeout(plan.most_seconds), asyncio.TaskGroup() as coming:
            opened = time.monotonic()
            for name, after in zip(plan.names, plan.arrivals(), strict=True):
                # On a busy machine, this loop may fall behind. People who are overdue then sign up
                # without a pause.
                if (pause := opened + after - time.monotonic()) > 0:
                    await asyncio.sleep(pause)
                came[name] = time.monotonic()
                seed = f"{plan.seed}-{name}"
                client = Client(wire, history, load, seed, back_after=plan.back_after)
                coming.create_task(sign_up(client, name))
    except TimeoutError:
        note("the time is up", 1)
    finally:
        watching.cancel()
        wire.close()


async def sign_up(client: Client, name: str) -> None:
    body = {"customer_id": name, "profile": {"name": name}}
    await client.customer("signup", name, "POST", ENTRIES, key=f"signup-of-{name}", json=body)


async def _watch(
    plan: LaunchPlan,
    history: History,
    came: dict[str, float],
    note: Callable[[str, float], None],
) -> None:
    seen, moment, got_in = 0, time.monotonic(), 0
    while True:
        await asyncio.sleep(NOTE_SECONDS)
        seconds = time.monotonic() - moment
        answers = refusals(history.attempts[seen:])
        entered = sum(one.is_done for one in history.operations)
        a_second = (entered - got_in) / seconds
        seen, moment, got_in = len(history.attempts), time.monotonic(), entered
        each = ", ".join(f"{count / seconds:,.0f} {name}" for name, count in answers.items())
        note(
            f"{got_in:,} of {plan.people:,} are in, {len(came) - got_in:,} are asking;"
            f" per second: {a_second:,.0f} in, {each}",
            got_in / plan.people,
        )


def refusals(attempts: Sequence[Attempt]) -> Counter[str]:
    found = Counter({"429 from the API": 0, "429 from the service": 0, "503": 0})
    for one in attempts:
        if one.is_rate_limited:
            found["429 from the API"] += 1
        elif one.status == 429:
            found["429 from the service"] += 1
        elif one.status == 503:
            found["503"] += 1
    return found
