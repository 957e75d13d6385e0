"""Graceful shutdown: the first signal asks to finish, the second to stop at once.

Ctrl-C, SIGTERM and the end of the terminal count alike; a signal that nohup ignores stays ignored.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Shutdown:
    """Sets one event per signal, and calls the function that belongs to it."""

    on_first: Callable[[], None]
    on_second: Callable[[], None] = lambda: None
    to_finish: Event = field(default_factory=Event)
    to_stop: Event = field(default_factory=Event)

    def on_signal(self) -> None:
        if self.to_finish.is_set():
            self.to_stop.set()
            self.on_second()
        else:
            self.to_finish.set()
            self.on_first()

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Handle signals, and restore the former handlers at the end."""
        handled = [one for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN]
        former = {one: signal.signal(one, lambda *_: self.on_signal()) for one in handled}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)
