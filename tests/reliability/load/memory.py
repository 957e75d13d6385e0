"""Measures how much memory each part of the service uses, and decides whether it grows during the
load test.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Self

import psutil

EVERY_SECONDS = 0.5
# Databases are not checked, because their memory grows with the data they store.
STORES = frozenset({"Valkey", "DynamoDB"})
ROLES = {
    "waitlist_api.handlers.public.lambda_handler": "public function",
    "waitlist_queue.app.lambda_handler": "private function",
    "waitlist_api.handlers.maintenance.lambda_handler": "maintenance",
    "tools.local.redis_server": "Valkey",
    "valkey-server": "Valkey",
    "tools.local.dynamodb.server": "DynamoDB",
}
# The second third of a load test is compared with the last third. Caches are still growing in the
# first third.
MOST_GROWTH = 1.10
LEAST_SECONDS = 30


@dataclass(frozen=True)
class Sample:
    """The service's memory use at one moment. `megabytes` contains the average per process for each
    part of the service.
    """

    at: float
    megabytes: Mapping[str, float]
    processes: Mapping[str, int]


@dataclass(frozen=True)
class Growth:
    """The median memory per process in the second third (`before`) and the last third (`after`) of
    a load test.
    """

    role: str
    before: float
    after: float

    @property
    def ratio(self) -> float:
        return self.after / self.before

    @property
    def is_flat(self) -> bool:
        return self.role in STORES or self.ratio <= MOST_GROWTH


def growths(samples: Sequence[Sample]) -> list[Growth]:
    if not samples or samples[-1].at - samples[0].at < LEAST_SECONDS:
        return []
    third = len(samples) // 3
    second, last = samples[third : 2 * third], samples[2 * third :]
    return [
        Growth(role, _typical(second, role), _typical(last, role))
        for role in sorted(_roles(second) & _roles(last))
    ]


def _roles(samples: Sequence[Sample]) -> set[str]:
    return {role for one in samples for role in one.megabytes}


def _typical(samples: Sequence[Sample], role: str) -> float:
    return median(one.megabytes[role] for one in samples if role in one.megabytes)


class MemorySampler:
    def __init__(self, pid: int) -> None:
        self.samples: list[Sample] = []
        self._root = psutil.Process(pid)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memory")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(EVERY_SECONDS):
            self.samples.append(self._weigh())

    def _weigh(self) -> Sample:
        found: dict[str, list[float]] = {}
        for process in (self._root, *self._root.children(recursive=True)):
            try:
                role = _role(process.cmdline())
                found.setdefault(role, []).append(process.memory_info().rss / 2**20)
            except psutil.Error:
                continue  # The process ended before its memory was read.
        return Sample(
            at=time.monotonic(),
            megabytes={role: sum(each) / len(each) for role, each in found.items()},
            processes={role: len(each) for role, each in found.items()},
        )


def _role(command: Sequence[str]) -> str:
    words = " ".join(command)
    return next((role for part, role in ROLES.items() if part in words), "front")
