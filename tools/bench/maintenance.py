"""Measure a maintenance run over thousands of waitlists, only a few of which have changed.

Each waitlist has a waiting entry, and before each run another customer joins a few of the
waitlists. The service's clock advances by a minute between runs, but the measured seconds are real.
Each call to DynamoDB or to the private function takes 10 ms longer than usual.
"""

import io
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

from redis import Redis

from tools.bench.rebuild import CONFIG
from tools.bench.sizes import Sizes
from tools.bench.targets import Row, Target
from tools.local.dynamodb.memory_table import MemoryTable
from tools.local.ports import HOST
from waitlist_api.bots.check import BotCheck
from waitlist_api.entries.signup import Signups
from waitlist_api.entries.signup_step import SignupCommand
from waitlist_api.maintenance.runner import MaintenanceRunner
from waitlist_api.services import Services
from waitlist_api.settings.waitlist import WaitlistSettings
from waitlist_api.waitlists.configure import Waitlists
from waitlist_queue.service import QueueService
from waitlist_queue.store import RedisStore

ADDED_SECONDS = 0.01
MINUTE_SECONDS = 60
# The number of runs before the measurement. The first one finds the new waitlists, and later ones
# check the changed waitlists once more.
UNMEASURED_RUNS = 4
RUNS = 3
TARGET_SECONDS = 30.0


class Slow:
    """A wrapper that delays and counts the calls to a boto3 client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._lock = threading.Lock()
        self.seconds = 0.0
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)

        def counted(**arguments: Any) -> Any:
            with self._lock:
                self.calls[name] += 1
            if self.seconds:
                time.sleep(self.seconds)
            return call(**arguments)

        return counted


class Private:
    """A fake Lambda client that runs the private function's code.

    It converts requests and responses to JSON and back.
    """

    def __init__(self, service: QueueService) -> None:
        self._service = service

    def invoke(self, **call: Any) -> dict[str, Any]:
        answer = json.dumps(self._service.handle(json.loads(call["Payload"]))).encode()
        return {"StatusCode": 200, "Payload": io.BytesIO(answer)}


class Run(NamedTuple):
    seconds: float
    calls: Counter[str]


class MaintenanceBench:
    """Creates waitlists, runs maintenance until there is nothing left to do, and then measures
    further runs.
    """

    def __init__(self, port: int, sizes: Sizes) -> None:
        self._lists, self._busy = sizes.maintained, sizes.maintained_busy
        self._millis = time.time_ns() // 1_000_000
        store = RedisStore(
            lambda: Redis(host=HOST, port=port, decode_responses=True), lambda: self._millis * 1000
        )
        self._table, self._queue = Slow(MemoryTable()), Slow(Private(QueueService(store)))
        services = Services.on(
            CONFIG, self._table, self._queue, lambda: self._millis, pause=lambda _: None
        )
        self._services = services.replaced({BotCheck | None: None})
        self._people = 0

    def rows(self, tick: Callable[[], None]) -> list[Row]:
        for number in range(self._lists):
            self._services.get(Waitlists).put(_id(number), WaitlistSettings(name="A list"))
            self._sign_up(number)
        for _ in range(UNMEASURED_RUNS):
            self._run()
        tick()
        self._table.seconds = self._queue.seconds = ADDED_SECONDS
        runs = []
        for _ in range(RUNS):
            for number in range(0, self._lists, max(1, self._lists // self._busy)):
                self._sign_up(number)
            runs.append(self._run())
            tick()
        return [self._row(runs)]

    def _sign_up(self, number: int) -> None:
        added, self._table.seconds, self._queue.seconds = self._table.seconds, 0.0, 0.0
        self._people += 1
        self._services.get(Signups).sign_up(
            SignupCommand(waitlist_id=_id(number), customer_id=f"customer-{self._people}")
        )
        self._table.seconds = self._queue.seconds = added

    def _run(self) -> Run:
        self._millis += MINUTE_SECONDS * 1000
        self._table.calls.clear()
        self._queue.calls.clear()
        began = time.perf_counter()
        self._services.get(MaintenanceRunner).run_all()
        return Run(time.perf_counter() - began, self._table.calls + self._queue.calls)

    def _row(self, runs: list[Run]) -> Row:
        seconds = sorted(run.seconds for run in runs)
        calls = runs[-1].calls
        listed = ", ".join(f"{count:,} {name}" for name, count in sorted(calls.items()))
        return Row(
            name=f"maintenance, {self._lists:,} lists, {self._busy} busy",
            beside=f"30 s; calls: {listed}",
            ratio=median(seconds) / TARGET_SECONDS,
            spread=(seconds[0] / TARGET_SECONDS, seconds[-1] / TARGET_SECONDS),
            ours=f"{median(seconds):.1f} s",
            baseline=f"{TARGET_SECONDS:.0f} s",
            target=Target("≤", 1.0),
        )


def _id(number: int) -> str:
    return f"list-{number:05d}"
