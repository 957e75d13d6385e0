"""Measure how fast a long queue is rebuilt in Redis, compared with pipelined ZADD commands for the
same number of members.
"""

import io
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

from redis import Redis

from tools.bench.paging_table import WAITLIST_ID, PagingTable, entry_id_of, rank_of
from tools.bench.queue_client import BenchError, Handler
from tools.bench.sizes import Sizes
from tools.bench.targets import Row, Target
from waitlist_api.config import Config
from waitlist_api.maintenance.runner import MaintenanceRunner
from waitlist_api.services import Services
from waitlist_queue import keys
from waitlist_shared.limits import MAX_BATCH

TARGET = Target("≥", 0.3)
MEMORY_TARGET = Target("≤", 1.2)
MEGABYTE_KB = 1024
BARE = "bare:rebuild"
STATUS = Path("/proc/self/status")
# A file, and the text that resets the kernel's record of the highest memory use when it is written
# to that file.
CLEAR_REFS, PEAK = Path("/proc/self/clear_refs"), "5"
CONFIG = Config(
    table_name="bench",
    private_function_name="private",
    maintenance_function_name="",
    entry_token_secret="",
    entry_token_secret_arn="",
    log_level="WARNING",
)


class Rebuilt(NamedTuple):
    """`peak` is this process's highest memory use, in kilobytes."""

    seconds: float
    read_units: float
    peak: int


class Pair(NamedTuple):
    """The time of a rebuild, and the average time of the ZADD commands sent before and after it."""

    ours: Rebuilt
    bare_seconds: float


class InProcess:
    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def invoke(self, **call: Any) -> dict[str, Any]:
        answer = self._handler.ask(call["Payload"]).encode()
        return {"StatusCode": 200, "Payload": io.BytesIO(answer)}


class RebuildBench:
    """Rebuilds a short queue and then a long one.

    The order matters, because the recorded memory peak can only grow.
    """

    def __init__(self, handler: Handler, bare: Redis, sizes: Sizes) -> None:
        self._handler = handler
        self._bare = bare
        self._sizes = sizes

    def rows(self, tick: Callable[[], None]) -> list[Row]:
        few, many = self._sizes.rebuilt_few, self._sizes.rebuilt_many
        self._rebuild(few)  # The first rebuild loads modules and fills caches. It is not measured.
        shorter = [self._pair(few, tick) for _ in range(self._sizes.rebuilds)]
        few_peak = max(pair.ours.peak for pair in shorter)
        longer = self._pair(many, tick)
        bytes_of_entry = PagingTable(0).bytes_of_entry
        return [
            _speed(few, shorter, None),
            _speed(many, [longer], TARGET),
            _units(many, longer.ours.read_units, bytes_of_entry),
            _memory(many, longer.ours.peak, few, few_peak),
        ]

    def _pair(self, waiting: int, tick: Callable[[], None]) -> Pair:
        """Run half of the baseline before the rebuild and half after it.

        If the computer becomes slower or faster in the meantime, the rebuild and the baseline are
        affected alike.
        """
        before = self._pipeline(waiting)
        ours = self._rebuild(waiting)
        after = self._pipeline(waiting)
        tick()
        return Pair(ours, (before + after) / 2)

    def _rebuild(self, waiting: int) -> Rebuilt:
        self._bare.flushall()
        table = PagingTable(waiting)
        services = Services.on(CONFIG, table, InProcess(self._handler), pause=lambda _: None)
        with suppress(OSError):
            CLEAR_REFS.write_text(PEAK)
        start = time.perf_counter()
        services.get(MaintenanceRunner).run_one(WAITLIST_ID)
        seconds = time.perf_counter() - start
        self._check(waiting)
        return Rebuilt(seconds, table.read_units, _peak())

    def _check(self, waiting: int) -> None:
        queue = keys.queue(WAITLIST_ID)
        state = self._bare.hget(keys.meta(WAITLIST_ID), "state")
        found = self._bare.zcard(queue)
        last = self._bare.zrange(queue, -1, -1)
        if (state, found, last) != (b"warm", waiting, [entry_id_of(waiting - 1).encode()]):
            raise BenchError(
                f"the queue is {state!r} and has {found} of {waiting} entries, the last is {last}"
            )

    def _pipeline(self, waiting: int) -> float:
        self._bare.flushall()
        start = time.perf_counter()
        for first in range(0, waiting, MAX_BATCH):
            pipeline = self._bare.pipeline(transaction=False)
            for number in range(first, min(first + MAX_BATCH, waiting)):
                pipeline.zadd(BARE, {entry_id_of(number): rank_of(number)})
            pipeline.execute()
        return time.perf_counter() - start


def _peak() -> int:
    """Return the highest memory use in kilobytes. If the kernel does not report it, return 0."""
    with suppress(OSError):
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def _speed(waiting: int, pairs: Sequence[Pair], target: Target | None) -> Row:
    ratios = sorted(pair.bare_seconds / pair.ours.seconds for pair in pairs)
    low, ratio, high = quantiles(ratios, n=4, method="inclusive") if len(pairs) > 1 else ratios * 3
    return Row(
        name=f"rebuild of {waiting:,}",
        beside=f"pipelines of {MAX_BATCH} ZADD",
        ratio=ratio,
        spread=(low, high) if len(pairs) > 1 else None,
        ours=f"{waiting / median(pair.ours.seconds for pair in pairs):,.0f}/s",
        baseline=f"{waiting / median(pair.bare_seconds for pair in pairs):,.0f}/s",
        target=target,
    )


def _units(waiting: int, units: float, bytes_of_entry: int) -> Row:
    """Compare the read units with the smallest possible number, which is enough to read each entry
    once.
    """
    least = bytes_of_entry / 4096 * 0.5
    return Row(
        name="read units per entry",
        beside=f"{bytes_of_entry} B each, read once",
        ratio=units / waiting / least,
        spread=None,
        ours=f"{units / waiting:.4f}",
        baseline=f"{least:.4f}",
        target=None,
    )


def _memory(many: int, many_peak: int, few: int, few_peak: int) -> Row:
    return Row(
        name=f"peak memory, {many:,}",
        beside=f"peak memory, {few:,}",
        ratio=many_peak / few_peak if few_peak else 1.0,
        spread=None,
        ours=f"{many_peak / MEGABYTE_KB:.1f} MB",
        baseline=f"{few_peak / MEGABYTE_KB:.1f} MB",
        target=MEMORY_TARGET,
    )
