"""Shuts a program down gracefully when it receives Ctrl-C, SIGTERM or SIGHUP."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Shutdown:
    """Handles the signals that ask a program to end.

    After the first signal, the program should finish its current work. After the second signal, it
    should stop at once.
    """

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
        """Handle signals while the `with` block runs, and then restore the previous handlers."""
        handled = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        former = {number: signal.signal(number, lambda *_: self.on_signal()) for number in handled}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)
