"""Measure what the `presence` setting costs by comparing waitlists with and without it.

Two operations are measured: polls, and offers made by the admission policy. The measured time is
the processor time of Redis's single thread.
"""

from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import cast

from redis import Redis

from tools.bench.queue_client import Handler, Line, check
from tools.bench.sizes import Sizes
from tools.bench.targets import Row, Target
from waitlist_queue import keys
from waitlist_shared.limits import (
    MAX_ADMIT,
    MAX_OFFER_SECONDS,
    MAX_PASS_SECONDS,
    MAX_PRESENCE_SECONDS,
    MAX_RATE,
)

# The rate is so high that each call makes as many offers as it may (MAX_ADMIT).
FASTEST = {
    "admission": True,
    "rate_count": MAX_RATE,
    "rate_millis": 1000,
    "offer_seconds": MAX_OFFER_SECONDS,
    "pass_seconds": MAX_PASS_SECONDS,
}
PRESENCE = {"presence_seconds": MAX_PRESENCE_SECONDS}


class PresenceBench:
    def __init__(self, handler: Handler, bare: Redis, sizes: Sizes) -> None:
        self._handler, self._bare, self._sizes = handler, bare, sizes
        self._watching = Line(handler, "watching", settings=FASTEST | PRESENCE)
        self._plain = Line(handler, "plain", settings=FASTEST)
        self._lines = (self._watching, self._plain)
        runs = self._sizes.server_rounds + 2
        for line in self._lines:
            line.fill(bare, line.newcomers(3 * self._sizes.polling + runs * (MAX_ADMIT + 20)))

    def rows(self, tick: Callable[[], object]) -> Iterator[Row]:
        yield self._row("poll near the head", self._polls(0), 1.15, tick)
        yield self._memory()
        yield self._row("poll elsewhere", self._polls(self._sizes.polling + MAX_ADMIT), 1.05, tick)
        one = self._runs(lambda line: line.admit(1), times=20)
        yield self._row("run that makes 1 offer", one, 1.1, tick)
        many = self._runs(lambda line: line.admit(None))
        yield self._row(f"run that makes {MAX_ADMIT} offers", many, 1.1, tick)

    def _polls(self, first: int) -> Callable[[Line], Sequence[str]]:
        return lambda line: [line.position(member) for member in self._members(line, first)]

    def _runs(
        self, message: Callable[[Line], str], times: int = 1
    ) -> Callable[[Line], Sequence[str]]:
        """Before the run, the customers at the head of the queue ask for their positions, which
        makes them count as present.
        """

        def prepared(line: Line) -> Sequence[str]:
            for member in self._members(line, 0):
                self._handler.ask(line.position(member))
            return [message(line)] * times

        return prepared

    def _members(self, line: Line, first: int) -> list[str]:
        last = first + self._sizes.polling - 1
        found = cast(list[bytes], self._bare.zrange(line.queue_key, first, last))
        return [member.decode() for member in found]

    def _row(
        self,
        name: str,
        payloads: Callable[[Line], Sequence[str]],
        target: float,
        tick: Callable[[], object],
    ) -> Row:
        spent: dict[str, list[float]] = {line.waitlist_id: [] for line in self._lines}
        for line in self._lines:
            self._spent(payloads(line))  # The first call loads the script.
        for _ in range(self._sizes.server_rounds):
            for line in self._lines:
                spent[line.waitlist_id].append(self._spent(payloads(line)))
            tick()
        ours, baseline = (median(spent[line.waitlist_id]) for line in self._lines)
        return Row(
            name=f"{name}, presence",
            beside="no presence",
            ratio=ours / baseline,
            spread=None,
            ours=f"{ours:.1f} µs",
            baseline=f"{baseline:.1f} µs",
            target=Target("≤", target),
        )

    def _spent(self, payloads: Sequence[str]) -> float:
        """Return the processor time that Redis spends on one message, in microseconds.

        Unlike a call's duration, processor time does not grow when other processes are busy.
        """
        before = self._processor_seconds()
        check([self._handler.ask(payload) for payload in payloads], "waiting", "admitted")
        return (self._processor_seconds() - before) * 1_000_000 / len(payloads)

    def _processor_seconds(self) -> float:
        used = cast(dict[str, float], self._bare.info("cpu"))
        return used["used_cpu_user_main_thread"] + used["used_cpu_sys_main_thread"]

    def _memory(self) -> Row:
        key = keys.last_polls(self._watching.waitlist_id)
        count = self._bare.hlen(key)
        weight = cast(int, self._bare.memory_usage(key, samples=0)) / count
        return Row(
            name=f"memory of {count} noted polls, presence",
            beside="40 bytes for each",
            ratio=weight / 40,
            spread=None,
            ours=f"{weight:.1f} B",
            baseline="40.0 B",
            target=Target("≤", 1),
        )
