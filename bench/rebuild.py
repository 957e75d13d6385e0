"""A rebuild of a long line, beside bare pipelined ZADD of as many members."""

import io
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from redis import Redis

from bench.line import BenchError, Handler
from bench.paging_table import WAITLIST_ID, PagingTable, entry_id_of, rank_of
from bench.sizes import Sizes
from bench.targets import Row, Target
from waitlist_api.config import Config
from waitlist_api.services import Services
from waitlist_queue import keys
from waitlist_shared.limits import MAX_BATCH

TARGET = Target("≥", 0.3)
MEMORY_TARGET = Target("≤", 1.2)
MEGABYTE_KB = 1024
BARE = "bare:rebuild"
REBUILDS = 3
STATUS = Path("/proc/self/status")
# What is written here makes the kernel forget the highest memory use so far.
CLEAR_REFS, PEAK = Path("/proc/self/clear_refs"), "5"
CONFIG = Config(
    table_name="bench",
    private_function_name="private",
    maintenance_function_name="",
    entry_token_secret="",
    entry_token_secret_arn="",
    log_level="WARNING",
)


class InProcess:
    """A boto3 Lambda client that runs the private handler, JSON in and JSON out."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler

    def invoke(self, **call: Any) -> dict[str, Any]:
        answer = self._handler.ask(call["Payload"]).encode()
        return {"StatusCode": 200, "Payload": io.BytesIO(answer)}


class RebuildBench:
    """Rebuilds lines of two lengths; the shorter one first, for what it takes of memory."""

    def __init__(self, handler: Handler, bare: Redis, sizes: Sizes) -> None:
        self._handler = handler
        self._bare = bare
        self._sizes = sizes

    def rows(self, tick: Callable[[], None]) -> list[Row]:
        few, many = self._sizes.rebuilt_few, self._sizes.rebuilt_many
        self._rebuild(few)  # what is loaded at first use is loaded
        few_seconds, _, few_peak = self._rebuild(few)
        few_bare = self._pipeline(few)
        tick()
        many_seconds, many_units, many_peak = self._rebuild(many)
        tick()
        many_bare = self._pipeline(many)
        tick()
        return [
            _speed(few, few_seconds, few_bare, None),
            _speed(many, many_seconds, many_bare, TARGET),
            _units(many, many_units, PagingTable(0).bytes_of_entry),
            _memory(many, many_peak, few, few_peak),
        ]

    def _rebuild(self, waiting: int) -> tuple[float, float, int]:
        """Return the seconds, the read units and the peak of memory in kilobytes."""
        self._bare.flushall()
        table = PagingTable(waiting)
        services = Services.on(CONFIG, table, InProcess(self._handler), pause=lambda _: None)
        with suppress(OSError):
            CLEAR_REFS.write_text(PEAK)
        start = time.perf_counter()
        services.caretaker.look_after(WAITLIST_ID)
        seconds = time.perf_counter() - start
        self._check(waiting)
        return seconds, table.read_units, _peak()

    def _check(self, waiting: int) -> None:
        queue = keys.queue(WAITLIST_ID)
        state = self._bare.hget(keys.meta(WAITLIST_ID), "state")
        found = self._bare.zcard(queue)
        last = self._bare.zrange(queue, -1, -1)
        if (state, found, last) != (b"warm", waiting, [entry_id_of(waiting - 1).encode()]):
            raise BenchError(f"the order is {state!r} with {found} of {waiting}, the last {last}")

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
    """Return the most memory that this process has had, in kilobytes; 0 where nobody tells."""
    with suppress(OSError):
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def _speed(waiting: int, ours: float, bare: float, target: Target | None) -> Row:
    return Row(
        name=f"rebuild of {waiting:,}",
        beside=f"pipelines of {MAX_BATCH} ZADD",
        ratio=bare / ours,
        spread=None,
        ours=f"{waiting / ours:,.0f}/s",
        baseline=f"{waiting / bare:,.0f}/s",
        target=target,
    )


def _units(waiting: int, units: float, bytes_of_entry: int) -> Row:
    """Beside the least that the same entries would cost: each read once, in full units."""
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
