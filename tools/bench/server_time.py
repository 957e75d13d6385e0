"""Measure how long each operation occupies Redis's single thread, which limits a waitlist's
throughput.

The time comes from `INFO commandstats`. Each operation is compared with a minimal script that runs
the same Redis commands on a copy of the keys. The commands are recorded with `MONITOR`.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha1
from statistics import median
from typing import Any, cast

from redis import Redis

from tools.bench.queue_client import Handler, Line, check
from tools.bench.sizes import Sizes
from tools.bench.targets import Row, Target
from waitlist_queue import keys

COPY = "copy"
# Matches command and field names, which a handwritten script would contain as constants.
WORD = re.compile(r"[A-Za-z_]{1,20}")
# The text that is sent to Redis after the recorded commands. MONITOR reports commands in order, so
# the recording is complete once it reports this text.
END = "end-of-the-recording"
Tick = Callable[[], object]
Payloads = Callable[[], list[str]]


class ServerTimeBench:
    def __init__(self, handler: Handler, bare: Redis, sizes: Sizes) -> None:
        self._handler, self._bare, self._sizes = handler, bare, sizes
        self._line = Line(handler, "server-time")
        self._waiting = self._line.newcomers(sizes.server_waiting)
        self._line.fill(bare, self._waiting)
        self._count = sizes.server_operations

    def rows(self, tick: Tick) -> Iterator[Row]:
        line, count = self._line, self._count
        yield self._row("signup", "joined", self._signups, Target("≤", 1.8), tick)
        yield self._row("position", "waiting", self._positions, Target("≤", 1.4), tick)
        yield self._row("leave", "left", self._leaves, None, tick)
        yield self._row("claim", "claimed", lambda: [line.claim(1)] * count, None, tick)
        yield self._row("complete", "completed", self._completions, None, tick)

    def _signups(self) -> list[str]:
        return [self._line.signup(member) for member in self._line.newcomers(self._count)]

    def _positions(self) -> list[str]:
        step = len(self._waiting) // self._count
        return [self._line.position(member) for member in self._waiting[::step][: self._count]]

    def _leaves(self) -> list[str]:
        leaving = self._line.newcomers(self._count)
        self._line.join(leaving)
        return [self._line.leave(member) for member in leaving]

    def _completions(self) -> list[str]:
        answer = json.loads(self._handler.ask(self._line.claim(self._count)))
        return [self._line.complete(entry) for entry in answer["entries"]]

    def _row(
        self, name: str, outcome: str, payloads: Payloads, target: Target | None, tick: Tick
    ) -> Row:
        ours, smallest = [], []
        for _ in range(self._sizes.server_rounds):
            ours.append(self._spent(lambda: self._answered(payloads(), outcome)))
            smallest.append(self._smallest(payloads, outcome))
            tick()
        own, beside = median(ours), median(smallest)
        return Row(
            name=f"{name}, server time",
            beside="the smallest script",
            ratio=own / beside,
            spread=None,
            ours=f"{own:.1f} µs",
            baseline=f"{beside:.1f} µs",
            target=target,
        )

    def _answered(self, payloads: Sequence[str], outcome: str) -> None:
        self._bare.config_resetstat()  # Exclude the commands that prepared the payloads.
        check([self._handler.ask(payload) for payload in payloads], outcome)

    def _smallest(self, payloads: Payloads, outcome: str) -> float:
        made = payloads()
        originals = cast(list[bytes], self._bare.keys(f"{self._prefix(self._line.waitlist_id)}*"))
        for key in originals:
            self._bare.copy(key.decode(), self._copied(key.decode()), replace=True)
        recorded = list(self._recorded(made, outcome))
        calls = [_call(commands) for commands in recorded]
        for script, _ in calls:
            self._bare.script_load(script)
        shas = [(sha1(script.encode()).hexdigest(), arguments) for script, arguments in calls]
        return self._spent(lambda: [self._bare.evalsha(sha, 0, *given) for sha, given in shas])

    def _recorded(self, payloads: Sequence[str], outcome: str) -> Iterator[list[list[str]]]:
        """For each message, yield the Redis commands that the script has issued.

        The commands contain the keys of the copied waitlist.
        """
        with self._bare.monitor() as monitor:  # type: ignore[no-untyped-call]
            check([self._handler.ask(payload) for payload in payloads], outcome)
            self._bare.echo(END)
            commands: list[list[str]] = []
            while END not in (seen := cast(dict[str, Any], monitor.next_command()))["command"]:
                if seen["client_type"] == "lua":
                    commands.append(self._copied(seen["command"]).split(" "))
                elif commands:
                    yield commands
                    commands = []
            yield commands

    def _copied(self, text: str) -> str:
        return text.replace(self._prefix(self._line.waitlist_id), self._prefix(COPY))

    @staticmethod
    def _prefix(waitlist_id: str) -> str:
        return keys.queue(waitlist_id).removesuffix("queue")

    def _spent(self, work: Callable[[], object]) -> float:
        self._bare.config_resetstat()
        work()
        stats = cast(dict[str, dict[str, float]], self._bare.info("commandstats"))
        return stats["cmdstat_evalsha"]["usec_per_call"]


def _call(commands: Sequence[Sequence[str]]) -> tuple[str, list[str]]:
    """Return a script that runs the given Redis commands, and the script's arguments.

    Command and field names are constants in the script, and all other values are arguments.
    """
    arguments: list[str] = []

    def text_of(word: str) -> str:
        if WORD.fullmatch(word):
            return f"'{word}'"
        arguments.append(word)
        return f"ARGV[{len(arguments)}]"

    calls = [", ".join(map(text_of, command)) for command in commands]
    return "".join(f"redis.call({call})\n" for call in calls), arguments
