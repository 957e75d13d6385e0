"""One launch: start the service with its limits, let people come, judge."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.reliability.load.final_state import READERS, FinalState, Reader
from tests.reliability.load.history import Attempt, History
from tests.reliability.load.launch.crowd import SIGNUP, Crowd, Person
from tests.reliability.load.launch.plan import LaunchPlan
from tests.reliability.load.launch.wire import Wire
from tests.reliability.load.memory import MemorySampler
from tests.reliability.load.operators import ADMIN
from tests.reliability.load.oracle import judge
from tests.reliability.load.problem import Problem
from tests.reliability.load.run import NOTE_SECONDS, Measured, Note, of_processes
from tests.reliability.load.service import Service
from tools.local.api_client import ApiClient
from waitlist_cli.client.retries import PATIENT

# A launch has no claims.
LEASE_SECONDS = 0


@dataclass(frozen=True, kw_only=True)
class Launch(Measured):
    """`came` has when each person came, `loads` the machine's load before and after."""

    plan: LaunchPlan
    came: Mapping[str, float]
    loads: tuple[float, float]


def run(plan: LaunchPlan, note: Note) -> Launch:
    """Run a plan; call `note` with the current activity and the finished part of it."""
    history, crowd = History(), Crowd()
    load_before = os.getloadavg()[0]
    note("the service starts", 0)
    with Service(plan.limits) as service, ApiClient(service.url, READERS) as client:
        client.operator("PUT", ADMIN, json={"name": "Launch"})
        began = time.monotonic()
        with MemorySampler(service.pid) as sampler:
            asyncio.run(_open(plan, service.url, history, crowd, note))
        ended = time.monotonic()
        load_after = os.getloadavg()[0]
        note("maintenance finishes what was cut off", 1)
        reader = Reader(client)
        reader.settle(LEASE_SECONDS, history, ended)
        note("the end is read", 1)
        final_state = reader.read(history)
    return Launch(
        plan=plan,
        came=crowd.came,
        loads=(load_before, load_after),
        history=history,
        final_state=final_state,
        samples=sampler.samples,
        throttled=service.throttled,
        began=began,
        ended=ended,
        problems=[
            *judged(plan, history, final_state),
            *of_processes(sampler.samples, service.mistakes),
        ],
    )


def judged(plan: LaunchPlan, history: History, final_state: FinalState) -> Iterator[Problem]:
    """Yield each broken promise of the answers, and each person who did not get in."""
    yield from judge(history, final_state, LEASE_SECONDS)
    got_in = {one.person for one in history.of(SIGNUP) if one.is_done}
    for number in range(plan.people):
        name = Person(number, plan).name
        if name not in got_in:
            yield Problem("outside", f"{name} did not get in within {plan.most_seconds:.0f} s")


async def _open(plan: LaunchPlan, url: str, history: History, crowd: Crowd, note: Note) -> None:
    """Let everybody come and get in; leave those outside who are so when the time is up."""
    wire = Wire(url, plan.connections, PATIENT.timeout_seconds)
    watching = asyncio.create_task(_watch(plan, history, crowd, note))
    try:
        async with asyncio.timeout(plan.most_seconds), asyncio.TaskGroup() as people:
            opened = time.monotonic()
            for number, after in enumerate(plan.arrivals()):
                # No pause for a person who is late: on a busy machine, all of them come at once.
                if (pause := opened + after - time.monotonic()) > 0:
                    await asyncio.sleep(pause)
                people.create_task(Person(number, plan).sign_up(wire, history, crowd))
    except TimeoutError:
        note("the time is up", 1)
    finally:
        watching.cancel()
        wire.close()


async def _watch(plan: LaunchPlan, history: History, crowd: Crowd, note: Note) -> None:
    """Report what happened since the last report."""
    seen, moment, got_in = 0, time.monotonic(), 0
    while True:
        await asyncio.sleep(NOTE_SECONDS)
        seconds = time.monotonic() - moment
        answers = refusals(history.attempts[seen:])
        entered = crowd.got_in - got_in
        seen, moment, got_in = len(history.attempts), time.monotonic(), crowd.got_in
        each = ", ".join(f"{count / seconds:,.0f} {name}" for name, count in answers.items())
        note(
            f"{got_in:,} of {plan.people:,} are in, {len(crowd.came) - got_in:,} ask;"
            f" a second: {entered / seconds:,.0f} in, {each}",
            got_in / plan.people,
        )


def refusals(attempts: Sequence[Attempt]) -> Counter[str]:
    """Count answers that ask to come again, by who gave them; each kind is there."""
    found = Counter({"429 of the API": 0, "429 of the service": 0, "503": 0})
    for one in attempts:
        if one.is_rate_limited:
            found["429 of the API"] += 1
        elif one.status == 429:
            found["429 of the service"] += 1
        elif one.status == 503:
            found["503"] += 1
    return found
