"""Ctrl-C in two steps: the first asks to finish, the second to stop at once.

SIGTERM counts as one, and so does the end of the terminal, unless nohup has it ignored.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Shutdown:
    """What whoever waits at the keyboard has asked for."""

    def __init__(
        self, on_first: Callable[[], None], on_second: Callable[[], None] = lambda: None
    ) -> None:
        self.to_finish = threading.Event()
        self.to_stop = threading.Event()
        self._on_first = on_first
        self._on_second = on_second

    def on_signal(self) -> None:
        if self.to_finish.is_set():
            self.to_stop.set()
            self._on_second()
        else:
            self.to_finish.set()
            self._on_first()

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Hear signals, and leave them as they were afterwards."""
        heard = [one for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN]
        former = {one: signal.signal(one, lambda *_: self.on_signal()) for one in heard}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)
