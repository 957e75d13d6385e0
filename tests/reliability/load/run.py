"""Runs a load test: starts a service with limits, lets clients send requests, runs maintenance, and
checks all responses.
"""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.reliability.load import launch, overload
from tests.reliability.load.final_state import READERS, FinalState, Reader
from tests.reliability.load.history import History
from tests.reliability.load.memory import Growth, MemorySampler, Sample, growths
from tests.reliability.load.operators import ADMIN
from tests.reliability.load.oracle import judge
from tests.reliability.load.plan import LaunchPlan, Plan
from tests.reliability.load.service import Service
from tests.support.problem import Problem
from tools.local.api_client import ApiClient

Note = Callable[[str, float], None]


@dataclass(frozen=True, kw_only=True)
class Run:
    """A finished load test.

    `came` says when each person in a launch arrived. `loads` contains the machine's load before and
    after the test.
    """

    plan: Plan | LaunchPlan
    history: History
    final_state: FinalState
    samples: Sequence[Sample]
    throttled: Sequence[float]
    began: float
    ended: float
    problems: Sequence[Problem]
    came: Mapping[str, float] = field(default_factory=dict)
    loads: tuple[float, float] = (0.0, 0.0)

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    @property
    def growths(self) -> list[Growth]:
        return growths(self.samples)


def run(plan: Plan | LaunchPlan, note: Note) -> Run:
    history, came = History(), dict[str, float]()
    load_before = os.getloadavg()[0]
    note("starting the service", 0)
    with Service(plan.limits) as service, ApiClient(service.url, READERS) as client:
        client.operator("PUT", ADMIN, json=plan.settings)
        began = time.monotonic()
        with MemorySampler(service.pid) as sampler:
            asyncio.run(_traffic(plan, service, history, came, note))
        ended = time.monotonic()
        load_after = os.getloadavg()[0]
        note("finishing interrupted requests and ending claims and offers", 1)
        reader = Reader(client)
        reader.settle(plan.lease_seconds, history, ended)
        note("reading the final state", 1)
        final_state = reader.read(history)
    return Run(
        plan=plan,
        history=history,
        final_state=final_state,
        samples=sampler.samples,
        throttled=service.throttled,
        began=began,
        ended=ended,
        came=came,
        loads=(load_before, load_after),
        problems=[
            *judged(plan, history, final_state),
            *_of_processes(sampler.samples, service.mistakes),
        ],
    )


def judged(plan: Plan | LaunchPlan, history: History, final_state: FinalState) -> Iterator[Problem]:
    yield from judge(history, final_state, plan.lease_seconds)
    if isinstance(plan, LaunchPlan):
        got_in = {one.person for one in history.of("signup") if one.is_done}
        for name in plan.names:
            if name not in got_in:
                yield Problem("outside", f"{name} did not get in within {plan.most_seconds:.0f} s")


def _traffic(
    plan: Plan | LaunchPlan, service: Service, history: History, came: dict[str, float], note: Note
) -> Coroutine[None, None, None]:
    if isinstance(plan, LaunchPlan):
        return launch.people(plan, service.url, history, came, note)
    return overload.clients(plan, service, history, note)


def _of_processes(samples: Sequence[Sample], mistakes: Sequence[str]) -> Iterator[Problem]:
    for one in growths(samples):
        if not one.is_flat:
            yield Problem(
                "memory",
                f"a process of the {one.role} grew from {one.before:.0f} MB to"
                f" {one.after:.0f} MB between the second and the last third",
            )
    for line in mistakes:
        yield Problem("a mistake in the log", line)
