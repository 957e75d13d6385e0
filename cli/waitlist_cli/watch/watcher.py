"""Implements `waitlist watch`, which reads a waitlist at regular intervals and shows the
changes.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain, count
from typing import Any

from rich.live import Live

from waitlist_cli.client.retries import ONCE
from waitlist_cli.errors import Defective, Unavailable
from waitlist_cli.terminal.context import Context
from waitlist_cli.terminal.output import format_value
from waitlist_cli.watch.picture import Snapshot, picture
from waitlist_cli.watch.rates import Rates
from waitlist_cli.work.signals import Shutdown

HEAD = 50
# The settings rarely change, so they are read only once in this many snapshots.
SNAPSHOTS_PER_CONFIGURATION = 10
DEPTHS = 120


class Watcher:
    """Takes snapshots of a waitlist, and keeps samples for the rates and the chart."""

    def __init__(self, context: Context, waitlist_id: str, head: int) -> None:
        self._api = context.api
        self._path = f"/{waitlist_id}"
        self._head = head
        self._rates = Rates()
        self._depths: deque[int] = deque(maxlen=DEPTHS)
        self._waitlist: dict[str, Any] = {}
        self._last: Snapshot | None = None
        self._seen_at = ""

    def snapshots(
        self, seconds: float, most: int | None, end: threading.Event
    ) -> Iterator[Snapshot]:
        """Yield a snapshot of the waitlist every `seconds` seconds.

        If the service does not respond, the snapshot contains the previous numbers and a
        description of the problem.
        """
        due = time.monotonic()
        for number in count() if most is None else range(most):
            if number:
                due = max(due + seconds, time.monotonic() - seconds)
                if end.wait(max(0.0, due - time.monotonic())):
                    return
            yield self._snapshot(number)

    def _snapshot(self, number: int) -> Snapshot:
        try:
            if number % SNAPSHOTS_PER_CONFIGURATION == 0 or self._last_failed():
                self._waitlist = self._get("")
            stats = self._get("/stats")
            people = self._get("/entries", limit=self._head)["entries"] if self._head else []
        except (Unavailable, Defective) as error:
            if self._last is None:
                raise
            problem = f"{format_value(error.message)} These numbers are from {self._seen_at}."
            self._last = self._last.with_problem(_now(), problem, self._waitlist)
            return self._last
        self._seen_at = _now()
        self._rates.add(time.monotonic(), stats["signed_up"], stats["left"] + stats["admitted"])
        self._depths.append(stats["waiting"])
        self._last = Snapshot(
            at=self._seen_at,
            waitlist=self._waitlist,
            stats=stats,
            joined_per_second=self._rates.joined,
            gone_per_second=self._rates.gone,
            depths=tuple(self._depths),
            people=people,
        )
        return self._last

    def _last_failed(self) -> bool:
        return self._last is not None and bool(self._last.problem)

    def _get(self, path: str, **params: int) -> Any:
        return self._api.operator("GET", self._path + path, params=params, policy=ONCE)


def run_watch(context: Context, waitlist_id: str, seconds: float, most: int | None) -> None:
    """Show snapshots of a waitlist, at most `most` of them.

    After the first Ctrl-C, the command ends when its current request is complete. A second Ctrl-C
    ends the command at once.
    """
    console = context.output.console
    live = console.is_terminal and not console.is_dumb_terminal and not context.output.as_json
    watcher = Watcher(context, waitlist_id, HEAD if live else 1)
    # The first Ctrl-C sets an event instead of raising an exception, because a library could catch
    # the exception.
    shutdown = Shutdown(on_first=lambda: None, on_second=_interrupt)
    show = _show_live if live else _print_lines
    with suppress(KeyboardInterrupt), shutdown.installed():
        show(context, watcher.snapshots(seconds, most, shutdown.to_finish))


def _interrupt() -> None:
    raise KeyboardInterrupt


def _show_live(context: Context, snapshots: Iterator[Snapshot]) -> None:
    console = context.output.console
    # Take the first snapshot before clearing the screen, so that the operator sees the error if
    # the snapshot fails.
    last = next(snapshots)
    with Live(console=console, screen=True, auto_refresh=False) as live:
        live.update(picture(last, console.options), refresh=True)
        for last in snapshots:
            live.update(picture(last, console.options), refresh=True)
    console.print(picture(last, console.options))


def _print_lines(context: Context, snapshots: Iterator[Snapshot]) -> None:
    if context.output.as_json:
        for snapshot in snapshots:
            context.output.json_line(snapshot.summary())
        return
    first = next(snapshots)
    context.output.rows(
        list(first.summary()),
        (list(snapshot.summary().values()) for snapshot in chain([first], snapshots)),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
